/* Few types that describe very many members. */
struct hole { int : 32; };
struct holes { struct hole at[4096]; };
struct holes full_of_holes[4096];

struct t0 { };
#define TWO(a, b) struct a { struct b left, right; };
TWO(t1, t0) TWO(t2, t1) TWO(t3, t2) TWO(t4, t3) TWO(t5, t4) TWO(t6, t5) TWO(t7, t6) TWO(t8, t7)
TWO(t9, t8) TWO(t10, t9) TWO(t11, t10) TWO(t12, t11) TWO(t13, t12) TWO(t14, t13) TWO(t15, t14)
TWO(t16, t15) TWO(t17, t16) TWO(t18, t17) TWO(t19, t18) TWO(t20, t19) TWO(t21, t20) TWO(t22, t21)
TWO(t23, t22) TWO(t24, t23) TWO(t25, t24) TWO(t26, t25) TWO(t27, t26) TWO(t28, t27)
struct { struct t28 tree; int after; } forest;

int main(void) { return 0; }
