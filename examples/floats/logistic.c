#include <blindcore.h>
#include <math.h>
SECRET float age, pressure, smoker;
OUTPUT float risk;

int main(void)
{
    float z = -7.3f + 0.055f * age + 0.018f * pressure + 0.71f * smoker;
    risk = 1 / (1 + expf(-z));
    return 0;
}
