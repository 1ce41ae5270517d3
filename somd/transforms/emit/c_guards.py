"""Places that need care from a driver: macros of a plain meaning, which the runtime defines otherwise for some.

What stands between the guard of a kernel and conditions of the user's: `GUARDS_END;`

const long i = i_start - (long)get_global_id(0);
if ((long)get_global_id(0) >= i_start - i_stop)
    return;
GUARDS_END;
if (i > m)
    c[i] = a[i];

Intel's compiler for CPUs makes a loop over the work-items of a group, and its limits of the guard. Then it goes on: any
condition on the index that decides whether there is something left to do becomes a limit, too. It is right where the
number of the work-item is compared as it is, as in guards, and wrong where the number is subtracted: elements are left
out, others written, and memory beside the array with them. It stops at the first statement that has an effect: there
the macro is one, of no instructions. For other compilers it is empty, and a kernel without conditions needs none.

Before the first fault of loops is entered in the record: `LOOPS_END;`

for (long k = 0; k < n; k++)
    if (x > 2)
        x -= load_later(b, 0, ...);
c[i] = x;
c[i] = a[i];
LOOPS_END;
if (noted.site != 0)
    fault_note(...);

That compiler makes a copy of the loop in which no index fails. Nothing of what that copy computes is kept here, and
the number of trips gets lost in its vectors: it runs for ever, also where the loop has no trip. There the macro is an
effect as before, which stands behind both copies.

`__kernel ONE_AT_A_TIME void`: a kernel whose work-items have arrays of their own. That compiler makes vectors of
neighbouring work-items, and loses elements of such arrays, or takes those of others, where an index or a condition
differs between them: four of a hundred random programs gave wrong results. There the macro asks for no vectors.

`COPY(x)`: a number taken over as it is, in a loop inside an iteration. In `u, v = v, u + v`, with `v` no longer needed
behind the loop, that compiler meets `u` as another number's last value, and ends the process. There the macro takes
away a 0 that the compiler does not know.

`SHORT(x)`: an integer as one of 16 bits. NVIDIA's compiler takes the negative of a 16-bit integer for one of 16 bits
already when it makes it wider: `(long)(short)(0 - x)` is 32768 for -32768, in any spelling. It subtracts from a number
as it should, so there the macro adds one that is 0, which the compiler does not know.
"""

from __future__ import annotations

GUARDS_END, LOOPS_END, ONE_AT_A_TIME = "GUARDS_END", "LOOPS_END", "ONE_AT_A_TIME"
COPY, SHORT = "COPY", "SHORT"
#: for the head of a program that mentions them; for a driver that needs care the runtime has defined them before
DEFINITIONS = {
    GUARDS_END: """#ifndef GUARDS_END
#define GUARDS_END
#endif""",
    LOOPS_END: """#ifndef LOOPS_END
#define LOOPS_END
#endif""",
    ONE_AT_A_TIME: """#ifndef ONE_AT_A_TIME
#define ONE_AT_A_TIME
#endif""",
    COPY: """#ifndef COPY
#define COPY(x) (x)
#endif""",
    SHORT: """#ifndef SHORT
#define SHORT(x) ((short)(x))
#endif""",
}
