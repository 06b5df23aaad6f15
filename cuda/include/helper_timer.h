// SPDX-License-Identifier: MIT
// A stop watch on the host's clock, in milliseconds. It measures the simulator;
// simulated time is what events measure.
#ifndef HEDDLE_HELPER_TIMER_H
#define HEDDLE_HELPER_TIMER_H

#include <stdlib.h>
#include <time.h>

class StopWatchInterface {
 public:
  void start() { start_ = now(), running_ = true; }
  void stop() {
    if (!running_) return;
    total_ += now() - start_;
    sessions_++;
    running_ = false;
  }
  void reset() { total_ = 0, sessions_ = 0, start_ = now(); }
  float getTime() const { return (float)(running_ ? total_ + now() - start_ : total_); }
  float getAverageTime() const { return sessions_ ? (float)(total_ / sessions_) : 0.0f; }

 private:
  static double now() {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec * 1e3 + (double)time.tv_nsec * 1e-6;
  }
  double start_ = 0, total_ = 0;
  int sessions_ = 0;
  bool running_ = false;
};

inline bool sdkCreateTimer(StopWatchInterface **timer) {
  *timer = new StopWatchInterface;
  return true;
}
inline bool sdkDeleteTimer(StopWatchInterface **timer) {
  delete *timer;
  *timer = NULL;
  return true;
}
inline bool sdkStartTimer(StopWatchInterface **timer) {
  return (*timer)->start(), true;
}
inline bool sdkStopTimer(StopWatchInterface **timer) {
  return (*timer)->stop(), true;
}
inline bool sdkResetTimer(StopWatchInterface **timer) {
  return (*timer)->reset(), true;
}
inline float sdkGetTimerValue(StopWatchInterface **timer) {
  return (*timer)->getTime();
}
inline float sdkGetAverageTimerValue(StopWatchInterface **timer) {
  return (*timer)->getAverageTime();
}

#endif
