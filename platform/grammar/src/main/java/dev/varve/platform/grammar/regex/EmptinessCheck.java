package dev.varve.platform.grammar.regex;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/**
 * Decides which expressions match any text at all, which the form does not reveal if they contain
 * complements and intersections. Searches for a derivative that accepts, and caches the results.
 * Two searches alternate with growing limits: breadth first, since most texts may end soon and
 * counters would lead far away otherwise; and depth first, which reaches the end of long texts
 * directly.
 */
final class EmptinessCheck {
    private static final int LEAST_NEARBY = 16;
    private static final int MOST_NEARBY = 200;
    private static final int MOST_STRAIGHT = 60;

    private final RegexStore store;
    private final ByteClasses classes;

    EmptinessCheck(RegexStore store, ByteClasses classes) {
        this.store = store;
        this.classes = classes;
    }

    boolean isAlive(Regex regex) {
        if (regex.life == Regex.Life.UNKNOWN
                && !searchNearby(regex, LEAST_NEARBY)
                && !search(regex, MOST_STRAIGHT)
                && !searchNearby(regex, MOST_NEARBY)) {
            search(regex, Integer.MAX_VALUE);
        }
        return regex.life == Regex.Life.ALIVE;
    }

    /** Returns whether the search reached a result. */
    private boolean searchNearby(Regex start, int most) {
        Map<Regex, Regex> parents = new HashMap<>();
        Deque<Regex> open = new ArrayDeque<>();
        parents.put(start, start);
        open.add(start);
        while (!open.isEmpty() && parents.size() < most) {
            Regex regex = open.remove();
            for (int i = 0; i < classes.count(); i++) {
                Regex next = store.derive(regex, classes.representative(i));
                if (next.life == Regex.Life.ALIVE) {
                    markAlive(regex, parents);
                    return true;
                }
                if (next.life == Regex.Life.UNKNOWN && parents.putIfAbsent(next, regex) == null) {
                    open.add(next);
                }
            }
        }
        if (open.isEmpty()) {
            parents.keySet().forEach(each -> each.life = Regex.Life.DEAD);
        }
        return open.isEmpty();
    }

    private static void markAlive(Regex last, Map<Regex, Regex> parents) {
        Regex regex = last;
        while (regex.life != Regex.Life.ALIVE) {
            regex.life = Regex.Life.ALIVE;
            regex = parents.get(regex);
        }
    }

    private static final class Visit {
        private final Regex regex;
        private int nextClass;

        private Visit(Regex regex) {
            this.regex = regex;
        }
    }

    /** Returns whether the search reached a result before it visited {@code most} expressions. */
    private boolean search(Regex start, int most) {
        Deque<Visit> path = new ArrayDeque<>();
        // If the search ends without a result, all visited expressions that are not alive match
        // nothing.
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
                return true;
            }
            if (next.life == Regex.Life.UNKNOWN && seen.add(next)) {
                if (seen.size() >= most) {
                    return false;
                }
                path.push(new Visit(next));
            }
        }
        seen.forEach(each -> each.life = Regex.Life.DEAD);
        return true;
    }
}
