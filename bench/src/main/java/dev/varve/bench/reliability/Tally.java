package dev.varve.bench.reliability;

import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;

/** Counts the outcomes of requests. Thread-safe. */
final class Tally {
    private static final int SHOWN = 200;

    private int requests;
    private int complete;
    private int wrong;
    private int left;
    private int cancelled;
    private int failed;
    private int failedInKills;
    private final Map<Conduct, Integer> conducts = new EnumMap<>(Conduct.class);

    /**
     * Counts a request.
     *
     * @param expected answer of the plain server
     * @param killed whether a process of the server was missing meanwhile
     * @return what is wrong with it, for people; empty if nothing
     */
    synchronized String add(
            Question question,
            Conduct conduct,
            Outcome outcome,
            Outcome.Complete expected,
            boolean killed) {
        requests++;
        conducts.merge(conduct, 1, Integer::sum);
        String where =
                "question " + question.number() + " to " + question.model() + ", " + conduct + ": ";
        return switch (outcome) {
            case Outcome.Left() -> {
                left++;
                yield "";
            }
            case Outcome.Cancelled() -> {
                cancelled++;
                yield "";
            }
            case Outcome.Failed(String reason) -> {
                if (killed) {
                    failedInKills++;
                } else {
                    failed++;
                }
                yield where
                        + (killed ? "failed while a process was missing: " : "failed: ")
                        + reason.substring(0, Math.min(SHOWN, reason.length()));
            }
            case Outcome.Complete found when found.equals(expected) -> {
                complete++;
                yield "";
            }
            case Outcome.Complete found -> {
                complete++;
                wrong++;
                yield where + difference(expected, found);
            }
        };
    }

    private static String difference(Outcome.Complete expected, Outcome.Complete found) {
        String one = expected.text();
        String other = found.text();
        int same = 0;
        while (same < Math.min(one.length(), other.length())
                && one.charAt(same) == other.charAt(same)) {
            same++;
        }
        return String.format(
                Locale.ROOT,
                "wrong answer: differs from character %d of %d on, finish reason %s expected, found"
                        + " %s",
                same,
                one.length(),
                expected.finish(),
                found.finish());
    }

    /** Whether no request failed but those of killed processes, and no answer was wrong. */
    synchronized boolean isGood() {
        return failed == 0 && wrong == 0;
    }

    /** One line with all counts. */
    synchronized String summary(int kills) {
        return String.format(
                Locale.ROOT,
                "%d requests: %d complete, %d wrong answers; %d left, %d cancelled; %d failed;"
                        + " %d failed while one of %d killed processes was missing; sent %s",
                requests,
                complete,
                wrong,
                left,
                cancelled,
                failed,
                failedInKills,
                kills,
                conducts);
    }
}
