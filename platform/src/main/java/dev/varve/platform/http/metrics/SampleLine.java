package dev.varve.platform.http.metrics;

import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * A line with a sample. The library sorts labels by name and writes all numbers with a decimal
 * point; people and scripts that look for parts of lines find them in the form that they had before
 * the library: the labels in the order of {@link #ORDER}, counts as whole numbers.
 *
 * @param name name of the metric, with the ending of its kind
 * @param labels each with its value, {@code name="value"}, escaped
 * @param value the number as the library writes it
 */
record SampleLine(String name, List<String> labels, String value) {
    private static final List<String> ORDER =
            List.of(
                    "model",
                    "route",
                    "code",
                    "finish_reason",
                    "shard",
                    "device",
                    "first_layer",
                    "end_layer",
                    "kind",
                    "direction",
                    "source",
                    "reason",
                    "payloads",
                    "le");
    private static final Pattern LABEL = Pattern.compile("(\\w+)=\"(?:[^\"\\\\]|\\\\.)*\"");

    SampleLine {
        labels = labels.stream().sorted(Comparator.comparingInt(SampleLine::place)).toList();
    }

    /** Reads a line that the library wrote. */
    static SampleLine parse(String line) {
        int space = line.lastIndexOf(' ');
        String value = line.substring(space + 1);
        int brace = line.indexOf('{');
        if (brace < 0) {
            return new SampleLine(line.substring(0, space), List.of(), value);
        }
        List<String> labels = new ArrayList<>();
        Matcher label = LABEL.matcher(line).region(brace + 1, space);
        while (label.find()) {
            labels.add(label.group());
        }
        return new SampleLine(line.substring(0, brace), labels, value);
    }

    private static int place(String label) {
        return ORDER.indexOf(label.substring(0, label.indexOf('=')));
    }

    @Override
    public String toString() {
        return name
                + (labels.isEmpty()
                        ? ""
                        : labels.stream().collect(Collectors.joining(",", "{", "}")))
                + " "
                + number();
    }

    private String number() {
        if (name.endsWith("_seconds_sum")) {
            return String.format(Locale.ROOT, "%.6f", Double.parseDouble(value));
        }
        return name.endsWith("_seconds_total") || name.endsWith("_ratio")
                ? value
                : new BigDecimal(value).stripTrailingZeros().toPlainString();
    }
}
