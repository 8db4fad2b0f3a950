/* Functions that JavaScript does not have, computed without loss of digits: the counterparts of
 * mathcore/special.py. Pure: Node runs this file as it is, after mc-core.js.
 */
(function (mc) {
  "use strict";

  // x = q − q²/3 + q³/36 + …, with q = √(2y): coefficients of q¹ … q⁸.
  const GAP = [1, -1 / 3, 1 / 36, 1 / 270, 1 / 4320, -1 / 17010, -139 / 5443200, -1 / 204120];
  // ln Γ(x) − (x − ½) ln x + x − ½ ln 2π, in odd powers of 1/x (Stirling): coefficients.
  const STIRLING = [1 / 12, -1 / 360, 1 / 1260, -1 / 1680, 1 / 1188, -691 / 360360];

  /** Return x = 1 + W0(−exp(−1−y)), the root in [0, 1) of x + ln(1−x) + y = 0, for y ≥ 0.
   *  Next to 1 a small x would lose half of its digits: hence the series, then Newton. */
  mc.one_plus_lambertw0 = (y) => {
    if (y > 30) return 1 - Math.exp(-1 - y);
    const q = Math.sqrt(2 * y);
    if (q < 0.1) return q * GAP.reduceRight((sum, c) => sum * q + c);
    let x = Math.min(q, 1 - Math.exp(-1 - y)); // above the root, so Newton falls to it
    for (let turn = 0; turn < 50; turn++) {
      const step = ((x + Math.log1p(-x) + y) * (1 - x)) / x;
      x += step;
      if (Math.abs(step) <= 1e-16 * x) break;
    }
    return x;
  };

  /** Return w = −1/W0(−exp(−1−y)) − 1, the root of ln(1+w) − w/(1+w) = y, for y ≥ 0: x/(1−x) of the gap,
   *  which for a large y has lost what lies between x and 1. */
  mc.neg_inv_lambertw0_minus1 = (y) => {
    const q = Math.sqrt(2 * y);
    if (q < 0.1) {
      const x = mc.one_plus_lambertw0(y);
      return x / (1 - x);
    }
    if (y > 708) return Infinity;
    let z = 1 + y; // above the root of z + exp(−z) − 1 = y: Newton falls to z = ln(1 + w)
    for (let turn = 0; turn < 50; turn++) {
      const step = (z + Math.expm1(-z) - y) / Math.expm1(-z);
      z += step;
      if (Math.abs(step) <= 1e-16 * z) break;
    }
    return Math.expm1(z);
  };

  /** Return ln Γ(x) for x > 0, and infinity at the poles. */
  mc.log_gamma = (x) => {
    if (x <= 0) return Infinity;
    let product = 1;
    for (; x < 15; x++) product *= x; // Γ(x) = Γ(x + 1)/x, until Stirling's series is exact
    const tail = STIRLING.reduceRight((sum, c) => sum / (x * x) + c) / x;
    return (x - 0.5) * Math.log(x) - x + 0.5 * Math.log(2 * Math.PI) + tail - Math.log(product);
  };

  /** Return the share of Γ(a) that lies beyond x (upper = 1) or before x (upper = 0). */
  mc.gammainc_regularized = (a, x, upper) => {
    if (!(a > 0)) return NaN;
    if (x <= 0) return upper;
    const front = Math.exp(a * Math.log(x) - x - mc.log_gamma(a));
    if (front === 0) return x < a ? upper : 1 - upper; // the sums below would take long to say so
    if (x < a + 1) {
      let term = 1 / a;
      let total = term;
      for (let n = a + 1; term > 1e-17 * total; n++) {
        term *= x / n;
        total += term;
      }
      return upper ? 1 - front * total : front * total;
    }
    let rest = 0;
    for (let i = Math.trunc(60 + 12 * Math.sqrt(a)); i > 0; i--) {
      rest = (i * (a - i)) / (x + 2 * i + 1 - a + rest);
    }
    const beyond = front / (x + 1 - a + rest);
    return upper ? beyond : 1 - beyond;
  };

  /** Return the complementary error function. */
  mc.erfc = (x) => (x < 0 ? 2 - mc.erfc(-x) : mc.gammainc_regularized(0.5, x * x, 1));
})((globalThis.mc = globalThis.mc || {}));
