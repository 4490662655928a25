#include <blindcore.h>
/* Shortest paths as Bellman and Ford have them: every edge is tried in every round. After six
 * rounds all paths of up to six edges are found, and fifteen would find all there are. An edge that
 * is not needed leads from a node to itself. */
#define NODES 16
#define EDGES 24
#define ROUNDS 6
#define FAR 255
SECRET uint8_t edges[EDGES][2], lengths[EDGES], start;
OUTPUT uint8_t distance[NODES];

int main(void)
{
    for (unsigned node = 0; node < NODES; node++)
        distance[node] = FAR;
    distance[start & (NODES - 1)] = 0;
    for (unsigned round = 0; round < ROUNDS; round++)
        for (unsigned i = 0; i < EDGES; i++) {
            unsigned from = edges[i][0] & (NODES - 1), to = edges[i][1] & (NODES - 1);
            unsigned way = distance[from] + lengths[i];
            distance[to] = bc_min(way, (unsigned)distance[to]);
        }
    return 0;
}
