/* The scalar bank of LMS filters for L = 4, as one would write it by hand: the yardstick of the LMS benchmark. */
#include <stddef.h>

void bank(double *lambda, const double *sets, const double *inputs, const double *step, size_t n)
{
    double l1 = lambda[0], l2 = lambda[1], l3 = lambda[2], l4 = lambda[3];
    const double s1 = step[0], s2 = step[1], s3 = step[2], s4 = step[3];
    for (size_t k = 0; k < n; k++) {
        const double *y = sets + 4 * k;
        double e1 = y[0], e2 = 0.0, e3 = 0.0, e4 = 0.0;
        for (int i = 1; i < 4; i++) {
            e4 += y[i] * e3;
            e3 += y[i] * e2;
            e2 += y[i] * e1;
            e1 += y[i];
        }
        const double p = inputs[k], p2 = p * p, p3 = p2 * p, p4 = p2 * p2;
        l1 += s1 * p * (e1 - p * l1);
        l2 += s2 * p2 * (e2 - p2 * l2);
        l3 += s3 * p3 * (e3 - p3 * l3);
        l4 += s4 * p4 * (e4 - p4 * l4);
    }
    lambda[0] = l1;
    lambda[1] = l2;
    lambda[2] = l3;
    lambda[3] = l4;
}
