__kernel void add(__global const double *a, __global const double *b, __global double *c, long n)
{
    long i = get_global_id(0);
    if (i < n)
        c[i] = a[i] + b[i];
}

__kernel void half_sweep(__global double *G, long m, long n, long p)
{
    long j = 1 + get_global_id(0), i = 1 + get_global_id(1);
    if (i < m - 1 && j < n - 1 && (j - 1 - (i + p) % 2) % 2 == 0)
        G[i * n + j] = 0.25 * (G[(i - 1) * n + j] + G[(i + 1) * n + j] + G[i * n + j - 1] + G[i * n + j + 1]);
}

__kernel void partial_sums(__global const double *a, __global double *partials, long n)
{
    __local double slots[64];
    long l = get_local_id(0), size = get_local_size(0);
    double sum = 0.0;
    for (long i = get_global_id(0); i < n; i += get_global_size(0))
        sum += a[i];
    slots[l] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (long width = size / 2; width > 0; width /= 2) {
        if (l < width)
            slots[l] += slots[l + width];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (l == 0)
        partials[get_group_id(0)] = slots[0];
}

__kernel void contraction(__global const double *a, __global double *out, long n)
{
    long i = get_global_id(0);
    if (i < n)
        out[i] = a[i] * a[i] - a[n + i];
}

__kernel void divide_singles(__global const float *a, __global const float *b, __global float *c, long n)
{
    long i = get_global_id(0);
    if (i < n)
        c[i] = sqrt(a[i]) / b[i];
}

__kernel void invert(__global uchar *flags, long n)
{
    long i = get_global_id(0);
    if (i < n)
        flags[i] = !flags[i];
}

__kernel void index_space(__global long *out, long nx, long ny, long nz)
{
    long x = get_global_id(0), y = get_global_id(1), z = get_global_id(2);
    if (x < nx && y < ny && z < nz)
        out[(z * ny + y) * nx + x] = (z * ny + y) * nx + x;
}

__kernel void scalars(__global double *out, long a, int b, float c, double d, uchar e, short f)
{
    if (get_global_id(0) == 0) {
        out[0] = a;
        out[1] = b;
        out[2] = c;
        out[3] = d;
        out[4] = e;
        out[5] = f;
    }
}
