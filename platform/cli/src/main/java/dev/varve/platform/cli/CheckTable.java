package dev.varve.platform.cli;

import dev.varve.platform.check.CheckResult;
import dev.varve.platform.check.CheckStatus;
import dev.varve.platform.log.ControlCharacters;

import java.io.PrintWriter;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.StringJoiner;

/** Prints results of checks as rows of a table, each at once. */
final class CheckTable {
    private static final String ROW = "%-10s %-10s %-40s %-8s %6s  %s";

    private final PrintWriter out;
    private boolean begun;

    CheckTable(PrintWriter out) {
        this.out = out;
    }

    /** Prints a result. */
    void show(CheckResult result) {
        if (!begun) {
            begun = true;
            print("DEVICE", "GROUP", "CHECK", "RESULT", "TIME", "FOUND");
        }
        print(
                result.device(),
                result.group().word(),
                result.name(),
                result.verdict().status().word(),
                String.format(Locale.ROOT, "%.1f s", result.seconds()),
                found(result));
        out.flush();
    }

    private void print(String... cells) {
        out.println(String.format(Locale.ROOT, ROW, (Object[]) cells).stripTrailing());
    }

    private static String found(CheckResult result) {
        String found = ControlCharacters.replace(result.verdict().found(), ' ');
        return result.verdict().expected().isEmpty()
                ? found
                : found + " (expected: " + result.verdict().expected() + ")";
    }

    /** Prints the number of results of each device by status. */
    void summarise(List<CheckResult> results) {
        summaries(results).forEach((device, text) -> out.println(device + ": " + text));
        out.flush();
    }

    /** Describes the results of each device, such as {@code 40 ok, 1 differs}. */
    static Map<String, String> summaries(List<CheckResult> results) {
        Map<String, Map<CheckStatus, Integer>> counts = new LinkedHashMap<>();
        for (CheckResult result : results) {
            counts.computeIfAbsent(result.device(), _ -> new EnumMap<>(CheckStatus.class))
                    .merge(result.verdict().status(), 1, Integer::sum);
        }
        Map<String, String> texts = new LinkedHashMap<>();
        counts.forEach(
                (device, byStatus) -> {
                    StringJoiner text = new StringJoiner(", ");
                    byStatus.forEach((status, count) -> text.add(count + " " + status.word()));
                    texts.put(device, text.toString());
                });
        return texts;
    }
}
