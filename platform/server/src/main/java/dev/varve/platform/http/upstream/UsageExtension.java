package dev.varve.platform.http.upstream;

import dev.varve.platform.compression.CompressionReport;
import dev.varve.platform.http.conversation.CompressionUsage;
import dev.varve.platform.http.json.Json;

import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * Adds the compression of the prompt to the usage of a reply. The upstream server's counts stay
 * unchanged: they are the tokens that it computed, and may be billed.
 *
 * @param report report on the prompt, in the drafter's tokens
 */
record UsageExtension(CompressionReport report) {
    private static final String USAGE = "usage";
    private static final String DATA = "data:";

    /** Adds the report to a reply, or to a chunk, that has a usage. */
    void addTo(ObjectNode reply) {
        if (!(reply.get(USAGE) instanceof ObjectNode usage)) {
            return;
        }
        JsonNode computed = usage.path("prompt_tokens");
        if (computed.isIntegralNumber()) {
            usage.set("effective_prompt_tokens", computed);
        }
        CompressionUsage.putReport(report, usage)
                .put("drafter_prompt_tokens", report.promptTokens())
                .put("drafter_effective_tokens", report.effectiveTokens());
        if (reply.path("timings") instanceof ObjectNode timings) {
            CompressionUsage.putTimes(report.times(), timings);
        } else if (!reply.has("timings")) {
            CompressionUsage.putTimes(report.times(), reply.putObject("timings"));
        }
    }

    /** Returns an event, with the report if it has a usage, else unchanged. */
    byte[] event(byte[] event) {
        String text = new String(event, StandardCharsets.UTF_8);
        if (!text.contains("\"" + USAGE + "\"")) {
            return event;
        }
        List<String> lines = text.lines().filter(line -> !line.isEmpty()).toList();
        String data =
                lines.stream()
                        .filter(line -> line.startsWith(DATA))
                        .map(line -> line.substring(DATA.length()))
                        .collect(Collectors.joining("\n"));
        return chunk(data)
                .filter(chunk -> chunk.get(USAGE) instanceof ObjectNode)
                .map(
                        chunk -> {
                            addTo(chunk);
                            return written(lines, chunk);
                        })
                .orElse(event);
    }

    private static Optional<ObjectNode> chunk(String data) {
        try {
            return Json.readExact(data.getBytes(StandardCharsets.UTF_8)) instanceof ObjectNode chunk
                    ? Optional.of(chunk)
                    : Optional.empty();
        } catch (JacksonException e) {
            // Not JSON: relayed unchanged.
            return Optional.empty();
        }
    }

    private static byte[] written(List<String> lines, ObjectNode chunk) {
        StringBuilder event = new StringBuilder();
        lines.stream()
                .filter(line -> !line.startsWith(DATA))
                .forEach(line -> event.append(line).append('\n'));
        event.append(DATA).append(' ').append(Json.write(chunk)).append("\n\n");
        return event.toString().getBytes(StandardCharsets.UTF_8);
    }
}
