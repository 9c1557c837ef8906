package dev.varve.platform.template;

import java.util.AbstractList;
import java.util.Objects;
import java.util.RandomAccess;

/**
 * The elements of a {@code range}, created on demand: templates often leave long ranges after a few
 * steps.
 */
final class RangeItems extends AbstractList<Value> implements RandomAccess {
    private final long first;
    private final long step;
    private final int size;

    RangeItems(long first, long step, int size) {
        this.first = first;
        this.step = step;
        this.size = size;
    }

    @Override
    public Value get(int index) {
        return Value.Int.of(first + Objects.checkIndex(index, size) * step);
    }

    @Override
    public int size() {
        return size;
    }
}
