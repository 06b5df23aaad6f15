// SPDX-License-Identifier: MIT
// Functions that OpenCL does not have: norms, the normal distribution, inverse
// error functions and Bessel functions. In double; the float variants round once.
//
// Bessel functions: the series of recurrences (Abramowitz and Stegun 9.1.46,
// 9.1.88, 9.12) for small arguments, Hankel's asymptotic expansion (9.2.5) beyond.
// Absolute errors are a few 1e-16; near a zero the relative error grows.

#define FLOAT_1(name)                    \
  EXPORT float __nv_##name##f(float a) { \
    return (float)__nv_##name(a);        \
  }

// Scaled by the largest, so that squares neither overflow nor vanish.
static double norm_of(int count, const double *values) {
  double largest = 0, sum = 0;
  for (int i = 0; i < count; i++) largest = __builtin_fmax(largest, __builtin_fabs(values[i]));
  if (is_infinite(largest)) return largest;
  int exponent;
  __nv_frexp(largest, &exponent);
  for (int i = 0; i < count; i++) {
    double scaled = __nv_ldexp(values[i], -exponent);
    sum += scaled * scaled;
  }
  return __nv_ldexp(__nvvm_sqrt_rn_d(sum), exponent);
}
static double norm_of_floats(int count, const float *values) {
  double sum = 0;
  for (int i = 0; i < count; i++) sum += (double)values[i] * values[i];
  return __nvvm_sqrt_rn_d(sum);
}
EXPORT double __nv_norm(int count, const double *values) {
  return norm_of(count, values);
}
EXPORT double __nv_rnorm(int count, const double *values) {
  return 1.0 / norm_of(count, values);
}
EXPORT float __nv_normf(int count, const float *values) {
  return (float)norm_of_floats(count, values);
}
EXPORT float __nv_rnormf(int count, const float *values) {
  return (float)(1.0 / norm_of_floats(count, values));
}
EXPORT double __nv_norm3d(double a, double b, double c) {
  return norm_of(3, (double[]){a, b, c});
}
EXPORT double __nv_norm4d(double a, double b, double c, double d) {
  return norm_of(4, (double[]){a, b, c, d});
}
EXPORT double __nv_rnorm3d(double a, double b, double c) {
  return 1.0 / __nv_norm3d(a, b, c);
}
EXPORT double __nv_rnorm4d(double a, double b, double c, double d) {
  return 1.0 / __nv_norm4d(a, b, c, d);
}
EXPORT float __nv_norm3df(float a, float b, float c) {
  return (float)norm_of_floats(3, (float[]){a, b, c});
}
EXPORT float __nv_norm4df(float a, float b, float c, float d) {
  return (float)norm_of_floats(4, (float[]){a, b, c, d});
}
EXPORT float __nv_rnorm3df(float a, float b, float c) {
  return (float)(1.0 / norm_of_floats(3, (float[]){a, b, c}));
}
EXPORT float __nv_rnorm4df(float a, float b, float c, float d) {
  return (float)(1.0 / norm_of_floats(4, (float[]){a, b, c, d}));
}
EXPORT double __nv_rhypot(double a, double b) {
  return 1.0 / __nv_hypot(a, b);
}
EXPORT float __nv_rhypotf(float a, float b) {
  return (float)(1.0 / norm_of_floats(2, (float[]){a, b}));
}

// Stirling's series from 12 on; below, the recurrence down from there. Half of the
// power, twice, since the whole may not fit.
static double gamma_positive(double a) {
  double divisor = 1, start = a;
  int steps = 0;
  for (; a < 12; a = start + ++steps) divisor *= a;
  // What start + steps rounded away, times the logarithmic derivative.
  double rest = start - (a - steps);
  divisor *= 1 - rest * (__nv_log(a) - 0.5 / a);
  double r = 1 / a, r2 = r * r;
  double series =
      r *
      (1.0 / 12 -
       r2 * (1.0 / 360 -
             r2 * (1.0 / 1260 - r2 * (1.0 / 1680 - r2 * (1.0 / 1188 - r2 * (691.0 / 360360 -
                                                                            r2 * (1.0 / 156)))))));
  double power = __nv_pow(a, 0.5 * a - 0.25);
  return 0x1.40d931ff62706p+1 * power * (__nv_exp(-a) * __nv_exp(series)) * power / divisor;
}
EXPORT double __nv_tgamma(double a) {
  if (is_nan(a) || a == __builtin_inf()) return a;
  if (a == 0) return 1 / a;
  if (a > 172) return __builtin_inf();
  if (a > 0) return gamma_positive(a);
  if (a == __builtin_trunc(a)) return __builtin_nan("");
  if (a < -184) return 0 * __nv_sinpi(a);
  return 0x1.921fb54442d18p+1 / (__nv_sinpi(a) * gamma_positive(1 - a));
}
FLOAT_1(tgamma)

// exp(a^2) erfc(a): a continued fraction where erfc would vanish.
EXPORT double __nv_erfcx(double a) {
  if (a < 8) return __nv_exp(a * a) * __nv_erfc(a);
  if (a > 1e8) return 0x1.20dd750429b6dp-1 / a;
  double fraction = 0;
  for (int k = 40; k > 0; k--) fraction = 0.5 * k / (a + fraction);
  return 0x1.20dd750429b6dp-1 / (a + fraction);
}
FLOAT_1(erfcx)

// A rational first guess (26.2.23 of Abramowitz and Stegun), then Halley's steps.
EXPORT double __nv_erfcinv(double a) {
  if (!(a >= 0 && a <= 2)) return __builtin_nan("");
  if (a == 0) return __builtin_inf();
  if (a == 2) return -__builtin_inf();
  double y = a > 1 ? 2 - a : a;
  double t = __nvvm_sqrt_rn_d(-2 * __nv_log(y / 2));
  double x = t - (2.515517 + t * (0.802853 + t * 0.010328)) /
                     (1 + t * (1.432788 + t * (0.189269 + t * 0.001308)));
  x *= 0x1.6a09e667f3bcdp-1;
  for (int i = 0; i < 3; i++) {
    double error = __nv_erfc(x) - y;
    x += error / (0x1.20dd750429b6dp+0 * __nv_exp(-x * x) - x * error);
  }
  return a > 1 ? -x : x;
}
FLOAT_1(erfcinv)
EXPORT double __nv_erfinv(double a) {
  double y = __builtin_fabs(a);
  if (y > 0.5) return __builtin_copysign(__nv_erfcinv(1 - y), a);
  double x = y * 0x1.c5bf891b4ef6ap-1;
  for (int i = 0; i < 4; i++) {
    double error = __nv_erf(x) - y;
    x -= error / (0x1.20dd750429b6dp+0 * __nv_exp(-x * x) + x * error);
  }
  return __builtin_copysign(x, a);
}
FLOAT_1(erfinv)
// What the product with sqrt(1/2) rounds away is made up for to first order.
EXPORT double __nv_normcdf(double a) {
  const double root = 0x1.6a09e667f3bcdp-1, root_rest = -0x1.bdd3413b26456p-55;
  double x = -a * root, rest = __builtin_fma(-a, root, -x) - a * root_rest;
  double value = __nv_erfc(x);
  if (__builtin_fabs(x) < 30) value -= rest * 0x1.20dd750429b6dp+0 * __nv_exp(-x * x);
  return 0.5 * value;
}
FLOAT_1(normcdf)
EXPORT double __nv_normcdfinv(double a) {
  return -0x1.6a09e667f3bcdp+0 * __nv_erfcinv(2 * a);
}
FLOAT_1(normcdfinv)

// J0, J1, Y0 and Y1 at a > 0.
typedef struct Bessel {
  double j[2], y[2];
} Bessel;

// cos and sin of a - (order/2 + 1/4) pi times Hankel's P and Q.
static void bessel_far(double a, int order, double *j, double *y) {
  double mu = 4.0 * order * order, term = 1, p = 1, q = 0;
  for (int k = 1; k < 40; k++) {
    double next = term * (mu - (2 * k - 1) * (2 * k - 1)) / (k * 8 * a);
    if (__builtin_fabs(next) > __builtin_fabs(term) || next == 0) break;
    term = next;
    double sign = k & 2 ? -1 : 1;
    if (k & 1)
      q += sign * term;
    else
      p += sign * term;
  }
  double s = __nv_sin(a), c = __nv_cos(a), root = __nvvm_sqrt_rn_d(1 / (a * 0x1.921fb54442d18p+1));
  // order 0: cos(a - pi/4) = (c + s) / sqrt 2; order 1: a quarter turn later.
  double cosine = order ? s - c : c + s, sine = order ? -(s + c) : s - c;
  *j = root * (p * cosine - q * sine);
  *y = root * (p * sine + q * cosine);
}

// Down from an order where J is nothing, scaled by 1 = J0 + 2 J2 + 2 J4 + ...
static void bessel_near(double a, Bessel *bessel) {
  double above = 0, here = 1e-300, sum = 0, y0 = 0, y1 = 0;
  for (int n = 30 + 2 * (int)a; n > 0; n--) {
    double k = n / 2, sign = n / 2 & 1 ? -1 : 1;
    if (n & 1) {
      if (n > 1) y1 += sign * (2 * k + 1) / (k * (k + 1)) * here;
    } else {
      sum += 2 * here;
      y0 += sign / k * here;
    }
    double below = 2 * n / a * here - above;
    above = here, here = below;
    if (__builtin_fabs(here) > 1e200) {
      above *= 1e-200, here *= 1e-200;
      sum *= 1e-200, y0 *= 1e-200, y1 *= 1e-200;
    }
  }
  sum += here;
  double j0 = here / sum, j1 = above / sum, log_half = __nv_log(a / 2) + 0x1.2788cfc6fb619p-1;
  *bessel = (Bessel){{j0, j1},
                     {0x1.45f306dc9c883p-1 * (log_half * j0 - 2 * y0 / sum),
                      0x1.45f306dc9c883p-1 * (-j0 / a + (log_half - 1) * j1 - y1 / sum)}};
}

static Bessel bessel_at(double a) {
  Bessel bessel;
  if (a < 1e-8)
    return (Bessel){{1, a / 2},
                    {0x1.45f306dc9c883p-1 * (__nv_log(a / 2) + 0x1.2788cfc6fb619p-1),
                     -0x1.45f306dc9c883p-1 / a}};
  if (a < 30) {
    bessel_near(a, &bessel);
    return bessel;
  }
  bessel_far(a, 0, &bessel.j[0], &bessel.y[0]);
  bessel_far(a, 1, &bessel.j[1], &bessel.y[1]);
  return bessel;
}

EXPORT double __nv_j0(double a) {
  return is_infinite(a) ? 0 : bessel_at(__builtin_fabs(a)).j[0];
}
EXPORT double __nv_j1(double a) {
  return is_infinite(a) ? 0 : __builtin_copysign(1, a) * bessel_at(__builtin_fabs(a)).j[1];
}
EXPORT double __nv_y0(double a) {
  if (!(a > 0)) return a == 0 ? -__builtin_inf() : __builtin_nan("");
  return is_infinite(a) ? 0 : bessel_at(a).y[0];
}
EXPORT double __nv_y1(double a) {
  if (!(a > 0)) return a == 0 ? -__builtin_inf() : __builtin_nan("");
  return is_infinite(a) ? 0 : bessel_at(a).y[1];
}
FLOAT_1(j0)
FLOAT_1(j1)
FLOAT_1(y0)
FLOAT_1(y1)

// Upwards from 0 and 1 while the order is below a, else downwards.
EXPORT double __nv_jn(int n, double a) {
  double x = __builtin_fabs(a), sign = a < 0 && n & 1 ? -1 : 1;
  if (n < 0) return __builtin_nan("");
  if (n == 0) return __nv_j0(a);
  if (n == 1) return __nv_j1(a);
  if (x == 0 || is_infinite(x)) return 0;
  if (n < x) {
    double before = __nv_j0(x), here = __nv_j1(x);
    for (int k = 1; k < n; k++) {
      double next = 2 * k / x * here - before;
      before = here, here = next;
    }
    return sign * here;
  }
  double above = 0, here = 1e-300, wanted = 0, sum = 0;
  for (int k = n + 40 + 2 * (int)__nvvm_sqrt_rn_d(40.0 * n); k > 0; k--) {
    if (k == n) wanted = here;
    if (!(k & 1)) sum += 2 * here;
    double below = 2 * k / x * here - above;
    above = here, here = below;
    if (__builtin_fabs(here) > 1e200)
      above *= 1e-200, here *= 1e-200, sum *= 1e-200, wanted *= 1e-200;
  }
  return sign * wanted / (sum + here);
}
EXPORT double __nv_yn(int n, double a) {
  if (n < 0) return __builtin_nan("");
  if (n == 0) return __nv_y0(a);
  double before = __nv_y0(a), here = __nv_y1(a);
  for (int k = 1; k < n && !is_infinite(here); k++) {
    double next = 2 * k / a * here - before;
    before = here, here = next;
  }
  return here;
}
EXPORT float __nv_jnf(int n, float a) {
  return (float)__nv_jn(n, a);
}
EXPORT float __nv_ynf(int n, float a) {
  return (float)__nv_yn(n, a);
}

// The power series of I0 or I1, or for large arguments the asymptotic one.
static double bessel_i(int order, double a) {
  double x = __builtin_fabs(a), sum = 1, term = 1;
  if (x < 40) {
    for (int k = 1; k < 120; k++) sum += term *= x * x / 4 / k / (k + order);
    return order ? sum * a / 2 : sum;
  }
  for (int k = 1; k < 30; k++)
    sum += term *= ((2 * k - 1) * (2 * k - 1) - 4.0 * order) / (k * 8 * x);
  double half = __nv_exp(x / 2);  // exp(x) itself may not fit
  sum *= half / __nvvm_sqrt_rn_d(0x1.921fb54442d18p+2 * x) * half;
  return order ? __builtin_copysign(sum, a) : sum;
}
EXPORT double __nv_cyl_bessel_i0(double a) {
  return bessel_i(0, a);
}
EXPORT double __nv_cyl_bessel_i1(double a) {
  return bessel_i(1, a);
}
FLOAT_1(cyl_bessel_i0)
FLOAT_1(cyl_bessel_i1)
