// Written by hand, as an expert would for a GPU: neighbouring work-items take neighbouring elements, indexes are 32 bits
// wide, what a work-group shares is in local memory, reductions have enough loads under way.
#pragma OPENCL FP_CONTRACT OFF
#pragma OPENCL EXTENSION cl_khr_fp64 : enable

#define GROUP 256

__kernel void copy(__global const double *restrict a, __global double *restrict b, int n)
{
    const int i = get_global_id(0);
    if (i < n)
        b[i] = a[i];
}

__kernel void axpy(__global const double *restrict x, __global double *restrict y, double factor, int n)
{
    const int i = get_global_id(0);
    if (i < n)
        y[i] = factor * x[i] + y[i];
}

static double group_sum(double own, __local double *slots)
{
    const int me = get_local_id(0);
    slots[me] = own;
    for (int width = get_local_size(0) / 2; width > 0; width /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (me < width)
            slots[me] += slots[me + width];
    }
    return slots[0];
}

// Grid-stride, four pairs of loads under way in each work-item; the sums of the groups are added by `sum`.
__kernel void dot(__global const double *restrict a, __global const double *restrict b, __global double *sums, int n)
{
    __local double slots[GROUP];
    const int stride = get_global_size(0);
    int i = get_global_id(0);
    double s0 = 0.0, s1 = 0.0, s2 = 0.0, s3 = 0.0;
    for (; i + 3 * stride < n; i += 4 * stride) {
        s0 += a[i] * b[i];
        s1 += a[i + stride] * b[i + stride];
        s2 += a[i + 2 * stride] * b[i + 2 * stride];
        s3 += a[i + 3 * stride] * b[i + 3 * stride];
    }
    for (; i < n; i += stride)
        s0 += a[i] * b[i];
    const double total = group_sum((s0 + s1) + (s2 + s3), slots);
    if (get_local_id(0) == 0)
        sums[get_group_id(0)] = total;
}

__kernel void sum(__global const double *restrict sums, __global double *total, int n)
{
    __local double slots[GROUP];
    double own = 0.0;
    for (int i = get_local_id(0); i < n; i += GROUP)
        own += sums[i];
    own = group_sum(own, slots);
    if (get_local_id(0) == 0)
        total[0] = own;
}

// A work-group a row, its parts added in a tree.
__kernel void matvec(__global const double *restrict A, __global const double *restrict x, __global double *y, int n)
{
    __local double slots[GROUP];
    __global const double *row = A + (long)get_group_id(0) * n;
    double own = 0.0;
    for (int j = get_local_id(0); j < n; j += GROUP)
        own += row[j] * x[j];
    own = group_sum(own, slots);
    if (get_local_id(0) == 0)
        y[get_group_id(0)] = own;
}

// The sums of the plain function, to the bit: a group of ROWS rows brings tiles of them into local memory, row by row,
// and each row is added in order.
#define ROWS 32
#define TILE 64

__kernel void matvec_in_order(
    __global const double *restrict A, __global const double *restrict x, __global double *y, int m, int n)
{
    __local double tile[ROWS][TILE + 1];
    __local double part[TILE];
    const int me = get_local_id(0), first = get_group_id(0) * ROWS;
    double total = 0.0;
    for (int j = 0; j < n; j += TILE) {
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int t = me; t < ROWS * TILE; t += GROUP) {
            const int r = t / TILE, c = t % TILE;
            tile[r][c] = first + r < m && j + c < n ? A[(long)(first + r) * n + j + c] : 0.0;
        }
        if (me < TILE)
            part[me] = j + me < n ? x[j + me] : 0.0;
        barrier(CLK_LOCAL_MEM_FENCE);
        if (me < ROWS)
            for (int c = 0; c < TILE && j + c < n; c++)
                total += tile[me][c] * part[c];
    }
    if (me < ROWS && first + me < m)
        y[first + me] = total;
}

__kernel void heat(__global const double *restrict a, __global double *restrict b, int m, int n)
{
    const int j = get_global_id(0) + 1, i = get_global_id(1) + 1;
    if (i < m - 1 && j < n - 1)
        b[i * n + j] =
            a[i * n + j] + 0.1 * (a[(i - 1) * n + j] + a[(i + 1) * n + j] + a[i * n + j - 1] + a[i * n + j + 1] -
                                  4.0 * a[i * n + j]);
}

#define WIDE 32
#define HIGH 8

// The same with a tile in local memory.
__kernel void heat_tiled(__global const double *restrict a, __global double *restrict b, int m, int n)
{
    __local double tile[HIGH + 2][WIDE + 2];
    const int lj = get_local_id(0) + 1, li = get_local_id(1) + 1;
    const int j = get_global_id(0) + 1, i = get_global_id(1) + 1;
    if (i < m && j < n) {
        tile[li][lj] = a[i * n + j];
        if (li == 1)
            tile[0][lj] = a[(i - 1) * n + j];
        if (lj == 1)
            tile[li][0] = a[i * n + j - 1];
        if (li == HIGH && i < m - 1)
            tile[HIGH + 1][lj] = a[(i + 1) * n + j];
        if (lj == WIDE && j < n - 1)
            tile[li][WIDE + 1] = a[i * n + j + 1];
        if (i == m - 2)
            tile[li + 1][lj] = a[(i + 1) * n + j];
        if (j == n - 2)
            tile[li][lj + 1] = a[i * n + j + 1];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (i < m - 1 && j < n - 1)
        b[i * n + j] = tile[li][lj] + 0.1 * (tile[li - 1][lj] + tile[li + 1][lj] + tile[li][lj - 1] +
                                             tile[li][lj + 1] - 4.0 * tile[li][lj]);
}

// Half a red-black sweep: the points with (i + j) % 2 == colour.
__kernel void sor(__global double *G, double neighbours, double own, int colour, int n)
{
    const int i = get_global_id(1) + 1;
    const int j = 2 * get_global_id(0) + 1 + ((i + colour) & 1);
    if (i < n - 1 && j < n - 1)
        G[i * n + j] = neighbours * (G[(i - 1) * n + j] + G[(i + 1) * n + j] + G[i * n + j - 1] + G[i * n + j + 1]) +
                       own * G[i * n + j];
}

// Compressed rows, a work-item each, the sum in a register.
__kernel void sparse(__global double *y, __global const double *restrict values, __global const int *restrict start,
                     __global const int *restrict column, __global const double *restrict x, int rows)
{
    const int i = get_global_id(0);
    if (i >= rows)
        return;
    double total = y[i];
    for (int k = start[i]; k < start[i + 1]; k++)
        total += x[column[k]] * values[k];
    y[i] = total;
}

// The same with the products of a group's rows brought into local memory by neighbouring work-items.
#define PRODUCTS 2048

__kernel void sparse_staged(__global double *y, __global const double *restrict values,
                            __global const int *restrict start, __global const int *restrict column,
                            __global const double *restrict x, int rows)
{
    __local double products[PRODUCTS];
    const int me = get_local_id(0), i = get_global_id(0), first = get_group_id(0) * GROUP;
    const int from = start[first], to = start[min(first + GROUP, rows)];
    const int mine = i < rows ? start[i] : to, end = i < rows ? start[i + 1] : to;
    double total = i < rows ? y[i] : 0.0;
    for (int part = from; part < to; part += PRODUCTS) {
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int k = part + me; k < min(part + PRODUCTS, to); k += GROUP)
            products[k - part] = x[column[k]] * values[k];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int k = max(mine, part); k < min(end, part + PRODUCTS); k++)
            total += products[k - part];
    }
    if (i < rows)
        y[i] = total;
}

// Histograms: eight keys are read before any is counted, so that the loads are under way together.
#define KEYS 8
#define COUNT_KEYS(update)                                                                                             \
    {                                                                                                                  \
        const int stride = get_local_size(0) * teams;                                                                  \
        int i = team * get_local_size(0) + get_local_id(0);                                                            \
        for (; i + (KEYS - 1) * stride < n; i += KEYS * stride) {                                                      \
            int found[KEYS];                                                                                           \
            _Pragma("unroll") for (int k = 0; k < KEYS; k++) found[k] = key[i + k * stride];                           \
            _Pragma("unroll") for (int k = 0; k < KEYS; k++) { const int bin = found[k]; update; }                     \
        }                                                                                                              \
        for (; i < n; i += stride) { const int bin = key[i]; update; }                                                 \
    }

// In local memory; where there are too many bins for it, each group counts one slice of them.
#define SLICE 11264

__kernel void histogram_local(__global const int *restrict key, __global int *h, int n, int bins, int width)
{
    __local int own[SLICE];
    const int slices = (bins + width - 1) / width, low = get_group_id(0) % slices * width, here = min(width, bins - low);
    const int team = get_group_id(0) / slices, teams = get_num_groups(0) / slices;
    for (int e = get_local_id(0); e < here; e += get_local_size(0))
        own[e] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    COUNT_KEYS(if ((uint)(bin - low) < (uint)here) atomic_inc(&own[bin - low]))
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int e = get_local_id(0); e < here; e += get_local_size(0))
        if (own[e] != 0)
            atomic_add(&h[low + e], own[e]);
}

__kernel void histogram_shared(__global const int *restrict key, __global int *h, int n)
{
    const int team = get_group_id(0), teams = get_num_groups(0);
    COUNT_KEYS(atomic_inc(&h[bin]))
}

// The programs of papers, in single precision.

static float normal(float x)
{
    const float k = 1.0f / (1.0f + 0.2316419f * fabs(x));
    const float poly = k * (0.319381530f + k * (-0.356563782f + k * (1.781477937f + k * (-1.821255978f + k * 1.330274429f))));
    const float tail = 0.39894228040143267794f * exp(-0.5f * x * x) * poly;
    return x > 0.0f ? 1.0f - tail : tail;
}

__kernel void black_scholes(__global const float *restrict price, __global float *restrict call,
                            __global float *restrict put, float strike, float years, float rate, float volatility, int n)
{
    const int i = get_global_id(0);
    if (i >= n)
        return;
    const float spread = volatility * sqrt(years), s = price[i];
    const float d1 = (log(s / strike) + (rate + 0.5f * volatility * volatility) * years) / spread, d2 = d1 - spread;
    const float discounted = strike * exp(-rate * years);
    call[i] = s * normal(d1) - discounted * normal(d2);
    put[i] = discounted * normal(-d2) - s * normal(-d1);
}

__kernel void molecular_dynamics(__global const float *restrict position, __global const int *restrict neighbours,
                                 __global float *restrict force, float cutoff, int count, int n)
{
    const int i = get_global_id(0);
    if (i >= n)
        return;
    const float3 own = vload3(i, position);
    float3 sum = (float3)(0.0f);
    for (int k = 0; k < count; k++) {
        const float3 d = own - vload3(neighbours[k * n + i], position);
        const float distance = d.x * d.x + d.y * d.y + d.z * d.z;
        if (distance < cutoff) {
            const float near = 1.0f / distance, sixth = near * near * near;
            sum += d * (near * sixth * (1.5f * sixth - 2.0f));
        }
    }
    vstore3(sum, i, force);
}

__kernel void gemv(__global const float *restrict A, __global const float *restrict x, __global float *y, float alpha,
                   float beta, int n)
{
    __local double slots[GROUP];
    __global const float *row = A + (long)get_group_id(0) * n;
    float own = 0.0f;
    for (int j = get_local_id(0); j < n; j += GROUP)
        own += row[j] * x[j];
    const float total = group_sum(own, slots);
    if (get_local_id(0) == 0)
        y[get_group_id(0)] = alpha * total + beta * y[get_group_id(0)];
}
