package dev.varve.platform.grammar.cfg;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Distinct items in the order in which they were found. A null origin stands for the set that the
 * items belong to, which is created after them.
 */
final class EarleyItems {
    private final List<Item> list = new ArrayList<>(2);
    private Set<Item> seen;

    /**
     * An item.
     *
     * @param dot position up to which an alternative was read
     * @param origin set at which the alternative began
     */
    record Item(DottedRule dot, EarleySet origin) {
        @Override
        public boolean equals(Object other) {
            return other instanceof Item(DottedRule otherDot, EarleySet otherOrigin)
                    && dot == otherDot
                    && origin == otherOrigin;
        }

        @Override
        public int hashCode() {
            return dot.id * 31 + (origin == null ? 0 : origin.id);
        }
    }

    boolean add(Item item) {
        if (seen == null) {
            if (list.contains(item)) {
                return false;
            }
            list.add(item);
            if (list.size() > 8) {
                seen = new HashSet<>(list);
            }
            return true;
        }
        return seen.add(item) && list.add(item);
    }

    int size() {
        return list.size();
    }

    Item get(int index) {
        return list.get(index);
    }

    List<Item> all() {
        return list;
    }
}
