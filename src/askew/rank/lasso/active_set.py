"""x ≥ 0 on a small working set: an active-set method that adds and drops columns in blocks.

The active columns solve  G x = h − λ  with G their Gram matrix and h their products with b; a column that the residual
still correlates with by more than λ is added, one whose coefficient is not positive is dropped (Lawson & Hanson 1974,
chapter 23): many at a time while the objective falls, and one at a time, which terminates, once it does not.
Rows of the pool are float32; every sum that a decision depends on is taken in float64.
"""

from __future__ import annotations

import numpy as np

from askew.rank.numba_loops import vectorised
from askew.rank.pool_vectors import ROUNDING, exact_dot

SLACK = 1e-13
"""How far above λ a correlation may stay in a finished working set."""
_SMALLEST_PIVOT = 1e-11
"""A column whose squared distance from the span of the others is smaller counts as linearly dependent."""
_MOST_STEPS = 2000


@vectorised
def dot(left, right, count):  # type: ignore[no-untyped-def]
    """Sum of products of the first ``count`` entries of float64 vectors."""
    total = 0.0
    for place in range(count):
        total += left[place] * right[place]
    return total


@vectorised
def short_dot(left, right):  # type: ignore[no-untyped-def]
    """Sum of products of float32 vectors, in float32."""
    total = np.float32(0.0)
    for place in range(len(right)):
        total += left[place] * right[place]
    return total


@vectorised
def factor(gram, active, first, count, low, inverse):  # type: ignore[no-untyped-def]
    """Cholesky rows ``first`` to ``count`` of the active Gram matrix; returns the row whose pivot vanishes, or -1."""
    for i in range(first, count):
        for j in range(i + 1):
            rest = gram[active[i], active[j]] - dot(low[i], low[j], j)
            if j < i:
                low[i, j] = rest * inverse[j]
            elif rest < _SMALLEST_PIVOT:
                return i
            else:
                low[i, i] = np.sqrt(rest)
                inverse[i] = 1.0 / low[i, i]
    return -1


@vectorised
def solved(low, inverse, right, count, out):  # type: ignore[no-untyped-def]
    """The solution of  L Lᵀ out = right."""
    for i in range(count):
        out[i] = (right[i] - dot(low[i], out, i)) * inverse[i]
    for i in range(count - 1, -1, -1):
        out[i] *= inverse[i]
        step = out[i]
        for j in range(i):
            out[j] -= step * low[i, j]


@vectorised
def residual_of(target, rows, active, x, count, residual):  # type: ignore[no-untyped-def]
    """The target minus the active rows, each times its coefficient."""
    residual[:] = target
    for i in range(count):
        row, weight = rows[active[i]], x[i]
        for place in range(len(residual)):
            residual[place] -= weight * row[place]


@vectorised
def enter(vectors, target, column, rows, gram, products, slot):  # type: ignore[no-untyped-def]
    """Put a column into a slot: its row in float64, its products with the slots before it and with the target."""
    width = vectors.shape[1]
    for place in range(width):
        rows[slot, place] = vectors[column, place]
    for other in range(slot + 1):
        gram[slot, other] = dot(rows[slot], rows[other], width)
        gram[other, slot] = gram[slot, other]
    products[slot] = dot(rows[slot], target, width)


@vectorised
def violations(vectors, working, closed, residual, penalty, scores):  # type: ignore[no-untyped-def]
    """How far each open column's correlation exceeds λ: float32 where it clearly does not, else float64."""
    width = vectors.shape[1]
    short = residual.astype(np.float32)
    bound = (width + 2) * ROUNDING * np.sqrt(dot(residual, residual, width)) * 1.001
    for place in range(len(working)):
        if closed[place]:
            scores[place] = -np.inf
            continue
        scores[place] = np.float64(short_dot(vectors[working[place]], short)) - penalty
        if scores[place] > -bound:
            scores[place] = exact_dot(vectors[working[place]], residual) - penalty


@vectorised
def refine(target, rows, active, penalty, low, inverse, count, x, residual):  # type: ignore[no-untyped-def]
    """Two steps of iterative refinement through the residual, which undo the squared condition of the Gram matrix."""
    right, step = np.empty(count), np.empty(count)
    for _ in range(2):
        residual_of(target, rows, active, x, count, residual)
        for i in range(count):
            right[i] = dot(rows[active[i]], residual, len(residual)) - penalty
        solved(low, inverse, right, count, step)
        for i in range(count):
            x[i] += step[i]
    residual_of(target, rows, active, x, count, residual)


@vectorised
def without(active, x, keep, count):  # type: ignore[no-untyped-def]
    """Remove dropped columns; returns how many stay and the first place that changed."""
    stay, first = 0, count
    for i in range(count):
        if keep[i]:
            active[stay], x[stay] = active[i], x[i]
            stay += 1
        elif first == count:
            first = i
    return stay, first


@vectorised
def positive_solution(gram, products, penalty, active, count, low, inverse, first, x):  # type: ignore[no-untyped-def]
    """Solve on the active columns, dropping all that are ≤ 0 (or linearly dependent), until none is."""
    right, keep = np.empty(count), np.empty(count, np.bool_)
    while True:
        singular = factor(gram, active, first, count, low, inverse)
        keep[:count] = True
        if singular >= 0:
            keep[singular] = False
        else:
            for i in range(count):
                right[i] = products[active[i]] - penalty
            solved(low, inverse, right, count, x)
            for i in range(count):
                keep[i] = x[i] > 0.0
        stay, first = without(active, x, keep, count)
        if stay == count:
            return count
        count = stay


@vectorised
def step_to_edge(gram, products, penalty, active, count, low, inverse, first, x):  # type: ignore[no-untyped-def]
    """Lawson and Hanson's inner loop: go towards the solution until a coefficient vanishes, drop it, go on.

    If the last column depends linearly on the others, it takes over their weight until one of them vanishes.
    """
    right, aim, keep = np.empty(count), np.empty(count), np.empty(count, np.bool_)
    while True:
        singular = factor(gram, active, first, count, low, inverse)
        keep[:count] = True
        share, edge = 1.0, -1
        if singular >= 0 and singular < count - 1:
            keep[singular] = False
        elif singular >= 0:
            for i in range(singular):
                right[i] = gram[active[i], active[singular]]
            solved(low, inverse, right, singular, aim)
            share, edge = np.inf, singular
            for i in range(singular):
                if aim[i] > 0.0 and x[i] / aim[i] < share:
                    share, edge = x[i] / aim[i], i
            if edge < singular:
                for i in range(singular):
                    x[i] -= share * aim[i]
                x[singular] += share
            keep[edge] = False
        else:
            for i in range(count):
                right[i] = products[active[i]] - penalty
            solved(low, inverse, right, count, aim)
            for i in range(count):
                if aim[i] <= 0.0 and x[i] / (x[i] - aim[i] + 1e-300) < share:
                    share, edge = x[i] / (x[i] - aim[i] + 1e-300), i
            for i in range(count):
                x[i] += share * (aim[i] - x[i])
                keep[i] = x[i] > 0.0
            if edge >= 0:
                keep[edge] = False
        stay, first = without(active, x, keep, count)
        if stay == count:
            return count
        count = stay


@vectorised
def solve_working_set(  # type: ignore[no-untyped-def]
    vectors, target, penalty, working, warm, warm_x, rows, gram, low, residual
):
    """The solution on the columns ``working``, started from those at the places ``warm`` with values ``warm_x``.

    Returns the places of its support, their values and whether it was finished; the residual is left in ``residual``.
    ``rows`` (one per working column), ``gram`` and ``low`` are scratch.
    """
    size = len(working)
    slot_place, inverse, products = np.empty(size, np.int64), np.empty(size), np.empty(size)
    place_slot = np.full(size, -1, np.int64)
    active, x = np.empty(size, np.int64), np.zeros(size)
    old_active, old_x, scores = np.empty(size, np.int64), np.empty(size), np.empty(size)
    closed = np.zeros(size, np.bool_)
    slots, count = 0, len(warm)
    for i in range(count):
        enter(vectors, target, working[warm[i]], rows, gram, products, slots)
        slot_place[slots], place_slot[warm[i]] = warm[i], slots
        active[i], x[i] = slots, warm_x[i]
        slots += 1
    count = positive_solution(gram, products, penalty, active, count, low, inverse, 0, x)
    best = value(products, penalty, active, x, count)
    one_by_one, refined, finished = False, False, False
    for _ in range(_MOST_STEPS):
        residual_of(target, rows, active, x, count, residual)
        for i in range(count):
            closed[slot_place[active[i]]] = True
        violations(vectors, working, closed, residual, penalty, scores)
        for i in range(count):
            closed[slot_place[active[i]]] = False
        block = 1 if one_by_one else 8 + count // 4
        old_count = count
        old_active[:count], old_x[:count] = active[:count], x[:count]
        for _ in range(block):
            place = np.argmax(scores)
            if scores[place] <= SLACK or count == size:
                break
            scores[place] = -np.inf
            if place_slot[place] < 0:
                enter(vectors, target, working[place], rows, gram, products, slots)
                slot_place[slots], place_slot[place] = place, slots
                slots += 1
            active[count], x[count] = place_slot[place], 0.0
            count += 1
        if count == old_count:
            if refined:
                finished = True
                break
            refine(target, rows, active, penalty, low, inverse, count, x, residual)
            refined = True
            for i in range(count):
                if x[i] <= 0.0:
                    refined = False
            if not refined:
                count = positive_solution(gram, products, penalty, active, count, low, inverse, 0, x)
                best = value(products, penalty, active, x, count)
            continue
        refined = False
        if one_by_one:
            added = slot_place[active[count - 1]]
            count = step_to_edge(gram, products, penalty, active, count, low, inverse, old_count, x)
            new = value(products, penalty, active, x, count)
            if new <= best:
                closed[added] = True
            best = max(best, new)
            continue
        count = positive_solution(gram, products, penalty, active, count, low, inverse, old_count, x)
        new = value(products, penalty, active, x, count)
        if new > best:
            best = new
            continue
        one_by_one, count = True, old_count
        active[:count], x[:count] = old_active[:count], old_x[:count]
        factor(gram, active, 0, count, low, inverse)
    support = np.empty(count, np.int64)
    for i in range(count):
        support[i] = slot_place[active[i]]
    return support, x[:count].copy(), finished


@vectorised
def value(products, penalty, active, x, count):  # type: ignore[no-untyped-def]
    """Twice the decrease of the objective, at a solution on the active columns."""
    total = 0.0
    for i in range(count):
        total += x[i] * (products[active[i]] - penalty)
    return total
