package dev.varve.testkit;

import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * Metrics of a server, parsed strictly: in Prometheus' text format 0.0.4 or in OpenMetrics 1.0. A
 * line that a collector might not accept is refused, and the message shows it.
 */
public final class MetricsText {
    private static final Pattern NAME = Pattern.compile("[a-zA-Z_:][a-zA-Z0-9_:]*");
    private static final Pattern SAMPLE = Pattern.compile("([^{ ]+)(?:\\{(.*)\\})? (\\S+)");
    private static final Pattern LABEL =
            Pattern.compile("([a-zA-Z_][a-zA-Z0-9_]*)=\"((?:[^\"\\\\\n]|\\\\[\\\\\"n])*)\"(,|$)");
    private static final String LE = "le";

    private final boolean openMetrics;
    private final Map<String, Family> families = new LinkedHashMap<>();

    /** A sample of a metric. */
    public record Sample(String name, Map<String, String> labels, double value) {
        /** Returns the sample as a line; whole numbers have no fraction. */
        public String line() {
            return name
                    + (labels.isEmpty()
                            ? ""
                            : labels.entrySet().stream()
                                    .map(each -> each.getKey() + "=\"" + each.getValue() + "\"")
                                    .collect(Collectors.joining(",", "{", "}")))
                    + " "
                    + (Double.isInfinite(value)
                            ? "+Inf"
                            : BigDecimal.valueOf(value).stripTrailingZeros().toPlainString());
        }
    }

    /** A metric under its two headers. */
    public static final class Family {
        private final String name;
        private String help = "";
        private String type = "";
        private final List<Sample> samples = new ArrayList<>();

        private Family(String name) {
            this.name = name;
        }

        /** Returns the name in its headers. */
        public String name() {
            return name;
        }

        /** Returns its help text. */
        public String help() {
            return help;
        }

        /** Returns its type, such as {@code counter}. */
        public String type() {
            return type;
        }

        /** Its samples, in their order. */
        public List<Sample> samples() {
            return List.copyOf(samples);
        }
    }

    private MetricsText(boolean openMetrics) {
        this.openMetrics = openMetrics;
    }

    /** Reads the text format 0.0.4. */
    public static MetricsText parse(String text) {
        return new MetricsText(false).read(text);
    }

    /** Reads OpenMetrics. */
    public static MetricsText parseOpenMetrics(String text) {
        require(
                text.endsWith("\n# EOF\n"),
                "no end",
                text.substring(Math.max(0, text.length() - 80)));
        return new MetricsText(true).read(text.substring(0, text.length() - "# EOF\n".length()));
    }

    private static void require(boolean holds, String what, String line) {
        if (!holds) {
            throw new IllegalArgumentException(what + ": " + line);
        }
    }

    private MetricsText read(String text) {
        require(text.endsWith("\n"), "the last line has no end", text);
        Optional<Family> current = Optional.empty();
        Set<String> series = new HashSet<>();
        for (String line : text.substring(0, text.length() - 1).split("\n", -1)) {
            if (line.startsWith("# ")) {
                current = Optional.of(header(line, current));
            } else {
                require(current.isPresent(), "a sample without headers", line);
                Sample sample = sample(line);
                require(belongs(sample, current.get()), "not of the metric above it", line);
                require(
                        series.add(sample.name() + new TreeMap<>(sample.labels())),
                        "a sample comes twice",
                        line);
                current.get().samples.add(sample);
            }
        }
        families.values().forEach(this::check);
        return this;
    }

    private Family header(String line, Optional<Family> current) {
        String[] parts = line.split(" ", 4);
        require(parts.length == 4 && NAME.matcher(parts[2]).matches(), "no header", line);
        Family family =
                current.filter(each -> each.name.equals(parts[2]))
                        .orElseGet(
                                () -> {
                                    require(
                                            !families.containsKey(parts[2]),
                                            "a metric in two places",
                                            line);
                                    Family fresh = new Family(parts[2]);
                                    families.put(parts[2], fresh);
                                    return fresh;
                                });
        require(family.samples.isEmpty(), "a header behind samples", line);
        switch (parts[1]) {
            case "HELP" -> {
                require(family.help.isEmpty() && !parts[3].isBlank(), "help", line);
                family.help = parts[3];
            }
            case "TYPE" -> {
                require(
                        family.type.isEmpty()
                                && Set.of("counter", "gauge", "histogram", "info")
                                        .contains(parts[3]),
                        "type",
                        line);
                family.type = parts[3];
            }
            case "UNIT" -> require(family.name.endsWith("_" + parts[3]), "unit", line);
            default -> require(false, "an unknown header", line);
        }
        return family;
    }

    private static Sample sample(String line) {
        Matcher parts = SAMPLE.matcher(line);
        require(parts.matches() && NAME.matcher(parts.group(1)).matches(), "no sample", line);
        Map<String, String> labels = new LinkedHashMap<>();
        String text = Objects.requireNonNullElse(parts.group(2), "");
        Matcher label = LABEL.matcher(text);
        int end = 0;
        while (end < text.length()) {
            require(label.find(end) && label.start() == end, "no label", line);
            require(
                    labels.put(label.group(1), unescaped(label.group(2))) == null,
                    "a label twice",
                    line);
            end = label.end();
        }
        return new Sample(parts.group(1), labels, number(parts.group(3)));
    }

    private static String unescaped(String value) {
        return value.replace("\\\"", "\"").replace("\\n", "\n").replace("\\\\", "\\");
    }

    private static double number(String text) {
        return text.equals("+Inf") ? Double.POSITIVE_INFINITY : Double.parseDouble(text);
    }

    private boolean belongs(Sample sample, Family family) {
        return switch (family.type) {
            case "histogram" ->
                    List.of("_bucket", "_sum", "_count", "_created").stream()
                            .anyMatch(end -> sample.name().equals(family.name + end));
            case "counter" ->
                    openMetrics
                            ? List.of("_total", "_created").stream()
                                    .anyMatch(end -> sample.name().equals(family.name + end))
                            : sample.name().equals(family.name) && family.name.endsWith("_total");
            case "info" -> openMetrics && sample.name().equals(family.name + "_info");
            default -> sample.name().equals(family.name);
        };
    }

    private void check(Family family) {
        require(!family.type.isEmpty() && !family.help.isEmpty(), "headers", family.name);
        for (Sample sample : family.samples) {
            boolean counts = !family.type.equals("gauge");
            require(!counts || sample.value() >= 0, "below 0", sample.toString());
            require(
                    !sample.name().endsWith("_info") || sample.value() == 1,
                    "not 1",
                    sample.toString());
        }
        if (family.type.equals("histogram")) {
            family.samples.stream()
                    .map(MetricsText::withoutBound)
                    .distinct()
                    .forEach(labels -> checkHistogram(family, labels));
        }
    }

    private static Map<String, String> withoutBound(Sample sample) {
        Map<String, String> labels = new TreeMap<>(sample.labels());
        labels.remove(LE);
        return labels;
    }

    private static void checkHistogram(Family family, Map<String, String> labels) {
        List<Sample> own =
                family.samples.stream()
                        .filter(sample -> withoutBound(sample).equals(labels))
                        .toList();
        String where = family.name + labels;
        double bound = Double.NEGATIVE_INFINITY;
        double count = 0;
        for (Sample bucket : named(own, family.name + "_bucket")) {
            double next = number(bucket.labels().get(LE));
            require(next > bound && bucket.value() >= count, "buckets do not ascend", where);
            bound = next;
            count = bucket.value();
        }
        require(bound == Double.POSITIVE_INFINITY, "no last bucket", where);
        List<Sample> counts = named(own, family.name + "_count");
        require(counts.size() == 1 && counts.getFirst().value() == count, "count", where);
        require(named(own, family.name + "_sum").size() == 1, "sum", where);
    }

    private static List<Sample> named(List<Sample> samples, String name) {
        return samples.stream().filter(sample -> sample.name().equals(name)).toList();
    }

    /** All metrics by the names in their headers. */
    public Map<String, Family> families() {
        return Map.copyOf(families);
    }

    /** All samples as lines, sorted. */
    public List<String> lines() {
        return families.values().stream()
                .flatMap(family -> family.samples.stream())
                .map(Sample::line)
                .sorted()
                .toList();
    }

    /** Names of all samples. */
    public Set<String> names() {
        return families.values().stream()
                .flatMap(family -> family.samples.stream())
                .map(Sample::name)
                .collect(Collectors.toSet());
    }

    /**
     * The samples of a name that have these labels, and maybe more.
     *
     * @param labels names and values in turn
     */
    public List<Sample> samples(String name, String... labels) {
        return families.values().stream()
                .flatMap(family -> family.samples.stream())
                .filter(sample -> sample.name().equals(name) && has(sample, labels))
                .toList();
    }

    private static boolean has(Sample sample, String... labels) {
        for (int i = 0; i < labels.length; i += 2) {
            if (!labels[i + 1].equals(sample.labels().get(labels[i]))) {
                return false;
            }
        }
        return true;
    }

    /** Returns the sum of these samples; 0 if there are none. */
    public double value(String name, String... labels) {
        return samples(name, labels).stream().mapToDouble(Sample::value).sum();
    }
}
