package dev.varve.platform.grammar.regex;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashSet;
import java.util.Set;

/**
 * Finds out which expressions have any text at all: those with complements and intersections do not
 * show it. Searches depth first for a derivative that accepts, and remembers what it finds.
 */
final class Lives {
    private final RegexStore store;
    private final ByteClasses classes;

    Lives(RegexStore store, ByteClasses classes) {
        this.store = store;
        this.classes = classes;
    }

    boolean isAlive(Regex regex) {
        if (regex.life == Regex.Life.UNKNOWN) {
            search(regex);
        }
        return regex.life == Regex.Life.ALIVE;
    }

    private static final class Visit {
        private final Regex regex;
        private int nextClass;

        private Visit(Regex regex) {
            this.regex = regex;
        }
    }

    private void search(Regex start) {
        Deque<Visit> path = new ArrayDeque<>();
        // Whatever is seen and not alive when the search ends without a find leads nowhere.
        Set<Regex> seen = new HashSet<>();
        path.push(new Visit(start));
        seen.add(start);
        while (!path.isEmpty()) {
            Visit visit = path.peek();
            if (visit.nextClass == classes.count()) {
                path.pop();
                continue;
            }
            Regex next = store.derive(visit.regex, classes.representative(visit.nextClass++));
            if (next.life == Regex.Life.ALIVE) {
                path.forEach(each -> each.regex.life = Regex.Life.ALIVE);
                return;
            }
            if (next.life == Regex.Life.UNKNOWN && seen.add(next)) {
                path.push(new Visit(next));
            }
        }
        seen.forEach(each -> each.life = Regex.Life.DEAD);
    }
}
