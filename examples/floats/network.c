#include <blindcore.h>
SECRET float x[4];
OUTPUT float y[2];

static const float first[6][4] = {
    {0.5f, -1.25f, 0.75f, 0.3f},
    {-0.6f, 0.4f, 1.1f, -0.2f},
    {0.9f, 0.1f, -0.7f, 0.8f},
    {-0.3f, 1.2f, 0.2f, -0.9f},
    {0.7f, -0.5f, 0.6f, 0.4f},
    {0.2f, 0.8f, -0.4f, 1.0f},
};
static const float bias[6] = {0.1f, -0.2f, 0.05f, 0.3f, -0.1f, 0.0f};
static const float second[2][6] = {
    {1.1f, -0.7f, 0.4f, 0.9f, -0.3f, 0.6f},
    {-0.8f, 0.5f, 1.2f, -0.4f, 0.7f, -0.1f},
};
int main(void)
{
    float hidden[6];
    for (int i = 0; i < 6; i++) {
        float sum = bias[i];
        for (int j = 0; j < 4; j++) sum += first[i][j] * x[j];
        hidden[i] = sum > 0 ? sum : 0;
    }
    for (int i = 0; i < 2; i++) {
        float sum = 0;
        for (int j = 0; j < 6; j++) sum += second[i][j] * hidden[j];
        y[i] = sum;
    }
    return 0;
}
