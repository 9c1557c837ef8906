package dev.varve.platform.cli;

import dev.varve.platform.grammar.trial.SchemaTrial;
import dev.varve.platform.tokenizer.Tokenizer;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.zip.GZIPInputStream;

/** Tests the schemas of a file, one per line, and prints each result and a summary. */
final class SchemaTrialRunner {
    /** Schema of the warm-up: without it, the first schemas would measure the JIT compiler. */
    private static final String WARM_UP =
            """
            {"type": "object", "properties": {"name": {"type": "string"},
            "size": {"type": "integer", "minimum": 0}, "kind": {"enum": ["a", "b"]},
            "code": {"type": "string", "pattern": "^[a-z]{2,5}$"},
            "rest": {"type": "array", "items": {}}}, "required": ["name"]}
            """;

    private static final String WARM_UP_VALUE =
            """
            {"name": "a name of some length", "size": 12, "kind": "a", "code": "abc",
            "rest": [1, "two", {"three": [null, true, 4.5]}], "further": {"x": "y"}}
            """;

    private static final int WARM_UPS = 40;

    private final SchemaTrial trial;
    private final PrintWriter out;
    private final boolean json;
    private final List<SchemaTrial.Result> results = new ArrayList<>();
    private int passed;

    SchemaTrialRunner(Tokenizer tokenizer, PrintWriter out, boolean json) {
        trial = new SchemaTrial(tokenizer);
        this.out = out;
        this.json = json;
    }

    /** Returns the exit status: 1 if an invalid value was accepted, or something failed. */
    int run(Path file) throws IOException {
        warmUp();
        boolean failed = false;
        try (BufferedReader lines = open(file)) {
            int number = 0;
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                number++;
                if (!line.isBlank()) {
                    failed |= !test(CliJson.parseExact(line, file + ", line " + number));
                }
            }
        }
        if (!json) {
            summarize();
        }
        out.flush();
        return failed ? 1 : 0;
    }

    private void warmUp() {
        JsonNode value = CliJson.parseExact(WARM_UP_VALUE, "warm-up");
        for (int i = 0; i < WARM_UPS; i++) {
            ObjectNode schema = (ObjectNode) CliJson.parseExact(WARM_UP, "warm-up");
            // A different schema each time: the same one would be cached.
            schema.put("title", "" + i);
            trial.run(schema, List.of(value));
        }
    }

    private static BufferedReader open(Path file) throws IOException {
        InputStream bytes = Files.newInputStream(file);
        return new BufferedReader(
                new InputStreamReader(
                        file.toString().endsWith(".gz") ? new GZIPInputStream(bytes) : bytes,
                        StandardCharsets.UTF_8));
    }

    private boolean test(JsonNode line) {
        List<JsonNode> values = new ArrayList<>();
        List<Boolean> valid = new ArrayList<>();
        for (JsonNode each : line.path("tests")) {
            values.add(each.path("data"));
            valid.add(each.path("valid").asBoolean());
        }
        SchemaTrial.Result result = trial.run(line.path("schema"), values);
        results.add(result);
        boolean right = result.status() == SchemaTrial.Status.OK && result.results().equals(valid);
        passed += right ? 1 : 0;
        print(line.path("name").asString(""), result, right);
        return result.status() != SchemaTrial.Status.ERROR && !readsWrong(result, valid);
    }

    private static boolean readsWrong(SchemaTrial.Result result, List<Boolean> valid) {
        for (int i = 0; i < result.results().size(); i++) {
            if (result.results().get(i) && !valid.get(i)) {
                return true;
            }
        }
        return false;
    }

    private void print(String name, SchemaTrial.Result result, boolean right) {
        if (!json) {
            String verdict =
                    result.status() == SchemaTrial.Status.OK
                            ? right ? "ok" : "wrong " + result.results()
                            : result.status().name().toLowerCase(Locale.ROOT)
                                    + " "
                                    + result.reason().orElse("");
            out.println(name + ": " + verdict);
            return;
        }
        ObjectNode object = CliJson.object();
        object.put("name", name);
        object.put("status", result.status().name().toLowerCase(Locale.ROOT));
        object.put("reason", result.reason().orElse(null));
        object.put("compile_ms", rounded(result.compileMillis()));
        object.put("first_mask_ms", rounded(result.firstMaskMillis()));
        double[] sorted = sorted(result.maskMicros());
        ObjectNode masks = object.putObject("mask_us");
        masks.put("count", sorted.length);
        masks.put("mean", rounded(mean(sorted)));
        masks.put("p99", rounded(quantile(sorted, 0.99)));
        masks.put("max", rounded(quantile(sorted, 1)));
        ArrayNode array = object.putArray("results");
        result.results().forEach(array::add);
        out.println(CliJson.write(object));
        out.flush();
    }

    private void summarize() {
        double[] masks =
                sorted(results.stream().flatMap(each -> each.maskMicros().stream()).toList());
        double[] firsts =
                results.stream()
                        .filter(each -> !each.maskMicros().isEmpty())
                        .mapToDouble(SchemaTrial.Result::firstMaskMillis)
                        .sorted()
                        .toArray();
        out.println(
                String.format(
                        Locale.ROOT,
                        "%d of %d schemas pass; %d masks: mean %.0f µs, 99 %% below %.0f µs; first"
                                + " masks: 95 %% below %.2f ms",
                        passed,
                        results.size(),
                        masks.length,
                        mean(masks),
                        quantile(masks, 0.99),
                        quantile(firsts, 0.95)));
    }

    private static double[] sorted(List<Double> values) {
        return values.stream().mapToDouble(Double::doubleValue).sorted().toArray();
    }

    private static double mean(double[] values) {
        double sum = 0;
        for (double value : values) {
            sum += value;
        }
        return values.length == 0 ? 0 : sum / values.length;
    }

    private static double quantile(double[] sorted, double part) {
        return sorted.length == 0
                ? 0
                : sorted[Math.max(0, (int) Math.ceil(part * sorted.length) - 1)];
    }

    private static double rounded(double value) {
        return Math.round(value * 1000) / 1000.0;
    }
}
