package dev.varve.platform.http.responses;

import dev.varve.platform.compression.CompressionReport;
import dev.varve.platform.http.answer.Usage;
import dev.varve.platform.http.conversation.CompressionUsage;
import dev.varve.platform.http.conversation.GenerationParameters;
import dev.varve.platform.http.json.ApiException;
import dev.varve.platform.http.json.Json;
import dev.varve.platform.setting.SettingNames;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

import java.util.Optional;

/** The object {@code response} of one response in its different states. */
final class ResponseObject {
    private static final String TOO_LONG = "context_length_exceeded";

    private final GenerationParameters.ResponseIdentity head;
    private final EchoedFields repeated;
    private final Optional<CompressionReport> compression;
    private final long created;

    ResponseObject(
            GenerationParameters.ResponseIdentity head,
            EchoedFields repeated,
            Optional<CompressionReport> compression) {
        this(head, repeated, compression, seconds());
    }

    private ResponseObject(
            GenerationParameters.ResponseIdentity head,
            EchoedFields repeated,
            Optional<CompressionReport> compression,
            long created) {
        this.head = head;
        this.repeated = repeated;
        this.compression = compression;
        this.created = created;
    }

    /** Returns the id of the response. */
    String id() {
        return head.id();
    }

    /** Returns a copy with the id and creation time of one that was sent already. */
    ResponseObject as(ResponseObject known) {
        GenerationParameters.ResponseIdentity same =
                new GenerationParameters.ResponseIdentity(known.head.id(), head.model());
        return new ResponseObject(same, repeated, compression, known.created);
    }

    /** Returns the object during generation. */
    ObjectNode inProgress() {
        return object("in_progress", Json.MAPPER.createArrayNode());
    }

    /**
     * Returns the object after generation.
     *
     * @param output its items
     * @param cut whether it ended at its token limit
     */
    ObjectNode ended(ArrayNode output, boolean cut, Usage usage) {
        ObjectNode response = object(cut ? "incomplete" : "completed", output);
        if (cut) {
            response.putObject("incomplete_details").put("reason", "max_output_tokens");
        } else {
            response.put("completed_at", seconds());
        }
        response.put("output_text", text(output));
        putUsage(response, usage);
        return response;
    }

    /** Returns the object after a failure; {@code output} has the items that were complete. */
    ObjectNode failed(ArrayNode output, ApiException error, SettingNames names) {
        ObjectNode response = object("failed", output);
        response.putObject("error")
                .put("code", code(error))
                .put("message", names.render(error.getMessage()));
        return response;
    }

    /**
     * Returns one of OpenAI's codes: agents retry a request, even a cancelled one, unless they know
     * its code as final.
     */
    private static String code(ApiException error) {
        if (error.code().filter(TOO_LONG::equals).isPresent()) {
            return TOO_LONG;
        }
        if (error.status() == 429) {
            return "rate_limit_exceeded";
        }
        return error.status() < 500 ? "invalid_prompt" : "server_error";
    }

    private ObjectNode object(String status, ArrayNode output) {
        ObjectNode response = Json.object();
        response.put("id", head.id());
        response.put("object", "response");
        response.put("created_at", created);
        response.put("status", status);
        response.putNull("completed_at");
        response.putNull("error");
        response.putNull("incomplete_details");
        response.put("model", head.model());
        response.set("output", output);
        response.putNull("usage");
        response.setAll(repeated.fields());
        return response;
    }

    private void putUsage(ObjectNode response, Usage all) {
        Usage.Counts counts = all.counts(1);
        ObjectNode usage = response.putObject("usage");
        usage.put("input_tokens", counts.prompt());
        usage.putObject("input_tokens_details")
                .put("cached_tokens", counts.cached())
                .put("cache_write_tokens", 0);
        usage.put("output_tokens", counts.generated());
        usage.putObject("output_tokens_details").put("reasoning_tokens", counts.reasoning());
        usage.put("total_tokens", counts.prompt() + counts.generated());
        ObjectNode timings = all.timings();
        compression.ifPresent(
                report -> {
                    usage.put("input_tokens", report.promptTokens());
                    usage.put("total_tokens", report.promptTokens() + counts.generated());
                    usage.put("effective_prompt_tokens", report.effectiveTokens());
                    CompressionUsage.putReport(report, usage);
                    CompressionUsage.putTimes(report.times(), timings);
                });
        response.set("timings", timings);
    }

    private static String text(ArrayNode output) {
        StringBuilder text = new StringBuilder();
        for (JsonNode item : output) {
            if (item.path("role").isString()) {
                text.append(item.at("/content/0/text").stringValue());
            }
        }
        return text.toString();
    }

    private static long seconds() {
        return System.currentTimeMillis() / 1000;
    }
}
