package dev.varve.platform.grammar.regex;

import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Collections;
import java.util.Deque;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.Set;

/** Classes of bytes that some expressions do not distinguish, as a number per byte. Immutable. */
public final class ByteClasses {
    private final int[] classes;
    private final int[] representatives;

    private ByteClasses(int[] classes, int count) {
        this.classes = classes;
        representatives = new int[count];
        for (int value = 255; value >= 0; value--) {
            representatives[classes[value]] = value;
        }
    }

    /** The classes of some expressions. */
    public static ByteClasses of(Collection<Regex> regexes) {
        Division division = new Division();
        Set<Regex> seen = Collections.newSetFromMap(new IdentityHashMap<>());
        Deque<Regex> open = new ArrayDeque<>(regexes);
        while (!open.isEmpty()) {
            Regex regex = open.pop();
            if (seen.add(regex)) {
                division.distinguish(regex);
                for (Regex part : regex.parts) {
                    open.push(part);
                }
            }
        }
        return new ByteClasses(division.classes, division.count);
    }

    /** Number of classes. */
    public int count() {
        return representatives.length;
    }

    /** The class of a byte. */
    public int of(int value) {
        return classes[value];
    }

    /** The lowest byte of a class. */
    public int representative(int number) {
        return representatives[number];
    }

    /** The only byte of a class; -1 if it has several. */
    public int only(int number) {
        int value = representatives[number];
        for (int other = value + 1; other < 256; other++) {
            if (classes[other] == number) {
                return -1;
            }
        }
        return value;
    }

    /** Classes while they are refined. */
    private static final class Division {
        private final int[] classes = new int[256];
        private final Set<ByteSet> done = new HashSet<>();
        private int count = 1;

        private void distinguish(Regex regex) {
            if (regex.kind == Regex.Kind.BYTES) {
                split(regex.bytes);
            } else if (regex.kind == Regex.Kind.MACHINE) {
                regex.machine.alphabet().stream().forEach(value -> split(ByteSet.of(value)));
            }
        }

        private void split(ByteSet set) {
            if (!done.add(set)) {
                return;
            }
            int[] inside = new int[count];
            boolean[] outside = new boolean[count];
            for (int value = 0; value < 256; value++) {
                if (set.contains(value)) {
                    inside[classes[value]]++;
                } else {
                    outside[classes[value]] = true;
                }
            }
            int[] moved = new int[count];
            for (int number = 0; number < moved.length; number++) {
                moved[number] = inside[number] > 0 && outside[number] ? count++ : number;
            }
            for (int value = 0; value < 256; value++) {
                if (set.contains(value)) {
                    classes[value] = moved[classes[value]];
                }
            }
        }
    }
}
