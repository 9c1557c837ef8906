package dev.varve.platform.http.model;

import dev.varve.platform.engine.EngineStatus;
import dev.varve.platform.engine.ReplicaStatus;
import dev.varve.platform.http.access.CacheSharingPolicy;
import dev.varve.platform.http.access.Caller;
import dev.varve.platform.http.json.ApiException;
import dev.varve.platform.http.json.Json;
import dev.varve.platform.http.json.RequestFields;
import dev.varve.platform.setting.SettingNames;
import dev.varve.platform.tokenizer.TooManyTokensException;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Serves the requests about a model that need no generation: its facts and its tokenizer. */
public final class ModelQueries {
    private final ServedModel served;
    private final ToolSupport toolSupport;

    /** Makes the facts of a model with its support for tools. */
    public ModelQueries(ServedModel served, ToolSupport toolSupport) {
        this.served = served;
        this.toolSupport = toolSupport;
    }

    /**
     * Returns the response of {@code /props}.
     *
     * @param names names of settings in the reasons why a shard is missing
     * @param scopes which callers share cached prefixes
     * @param caller caller of the request
     */
    public ObjectNode properties(SettingNames names, CacheSharingPolicy scopes, Caller caller) {
        EngineStatus status = served.engine().status();
        ObjectNode props = Json.object();
        props.put("model_alias", served.description().id());
        props.putObject("model")
                .put("arch", served.description().architecture())
                .put("tokenizer", served.textProcessing().tokenizer().describe());
        ObjectNode defaults = props.putObject("default_generation_settings");
        defaults.put("n_ctx", status.load().contextTokens());
        SamplingReport.putEffective(defaults, served.sampling());
        props.set("sampling", SamplingReport.levels(served.sampling()));
        props.putObject("reasoning")
                .put("supported", served.textProcessing().responseSyntax().hasReasoning());
        props.putObject("tools").put("supported", toolSupport == ToolSupport.FULL);
        props.putObject("chat").put("supported", served.textProcessing().chat().isPresent());
        props.putObject("modalities").put("vision", served.images().isPresent());
        ObjectNode runtime = props.putObject("runtime");
        runtime.put("parallel", status.load().parallel());
        runtime.put("kv_tokens", status.slots().total());
        runtime.put("kv_tokens_used", status.slots().running());
        runtime.put("kv_tokens_resident", status.slots().resident());
        runtime.put("weight_bytes", status.memory().allWeights());
        runtime.put("mapped_weight_bytes", status.memory().mappedWeights());
        runtime.put("kv_bytes", status.memory().kv());
        runtime.put("compute_bytes", status.memory().compute());
        runtime.put("replays", status.counts().replays());
        if (!status.replicas().isEmpty()) {
            runtime.set("replicas", ReplicaReport.of(status.replicas(), names));
        }
        runtime.set("prefix_cache", PrefixCacheContentsReport.tiers(status.cache(), scopes));
        served.compressor()
                .ifPresent(each -> runtime.set("compression", CompressionInfo.of(each.options())));
        status.paging().ifPresent(paging -> runtime.set("kvflash", PagingReport.of(paging)));
        runtime.set("shards", ShardReport.shards(status.shards(), names));
        status.draft().ifPresent(draft -> runtime.set("draft", ShardReport.draft(draft, names)));
        for (Map.Entry<String, Object> detail : served.description().details().entrySet()) {
            runtime.set(detail.getKey(), Json.MAPPER.valueToTree(detail.getValue()));
        }
        if (!caller.maySeeTotals()) {
            CacheReportRedaction.removeFrom(runtime);
        }
        return props;
    }

    /**
     * Adds the engine's fields to the response of {@code /status}.
     *
     * @param names names of settings in the reasons why a shard is missing
     * @param scopes which callers share cached prefixes
     * @param caller caller of the request
     */
    public void status(
            ObjectNode out, SettingNames names, CacheSharingPolicy scopes, Caller caller) {
        EngineStatus status = served.engine().status();
        out.set("load", EngineLoadReport.of(status));
        if (!status.replicas().isEmpty()) {
            out.set("replicas", ReplicaReport.of(status.replicas(), names));
        }
        out.set("placement", PlacementReport.of(status, served.description().placement(), names));
        out.set("cache", CacheStatusReport.of(status, scopes));
        out.set("speculation", SpeculationReport.of(status.speculation()));
        status.draft()
                .ifPresent(
                        draft ->
                                out.withObject("speculation")
                                        .set("draft", ShardReport.draft(draft, names)));
        status.paging()
                .ifPresent(
                        paging ->
                                out.set(
                                        "paging",
                                        PagingReport.live(paging, status.counts().steps())));
        if (!caller.maySeeTotals()) {
            CacheReportRedaction.removeFrom(out);
        }
    }

    /** Returns the response of {@code /lora-adapters}, in llama.cpp's format. */
    public ArrayNode adapters() {
        ArrayNode list = Json.MAPPER.createArrayNode();
        served.description()
                .adapters()
                .current()
                .forEach(
                        (id, adapter) ->
                                list.addObject()
                                        .put("id", id)
                                        .put("path", adapter.path())
                                        .put("scale", adapter.scale()));
        return list;
    }

    /** Returns the response of {@code /slots}: as many slots are busy as requests run. */
    public ArrayNode slots() {
        EngineStatus status = served.engine().status();
        ArrayNode slots = Json.MAPPER.createArrayNode();
        if (status.replicas().isEmpty()) {
            addSlots(slots, status.load());
        }
        for (ReplicaStatus replica : status.replicas()) {
            addSlots(slots, replica.load())
                    .forEach(slot -> ((ObjectNode) slot).put("replica", replica.id()));
        }
        return slots;
    }

    /** Adds slots with consecutive ids and returns them. */
    private static List<JsonNode> addSlots(ArrayNode slots, EngineStatus.Load load) {
        List<JsonNode> added = new ArrayList<>();
        for (int slot = 0; slot < load.parallel(); slot++) {
            added.add(
                    slots.addObject()
                            .put("id", slots.size() - 1)
                            .put("n_ctx", load.contextTokens())
                            .put("is_processing", slot < load.running()));
        }
        return added;
    }

    /**
     * Returns the response of {@code /tokenize}.
     *
     * @param withImages tokens of a text with images, if the body has some
     */
    public ObjectNode tokenize(ObjectNode body, Optional<int[]> withImages) {
        RequestFields fields = new RequestFields(body);
        int[] tokens = withImages.orElseGet(() -> contentTokens(fields));
        ObjectNode answer = Json.object();
        if (fields.flag("with_pieces").orElse(false)) {
            answer.set("tokens", pieces(tokens));
        } else {
            // Not a JSON node for each id: there may be a million.
            answer.putPOJO("tokens", tokens);
        }
        return answer;
    }

    private int[] contentTokens(RequestFields fields) {
        String content =
                fields.text("content")
                        .orElseThrow(
                                () ->
                                        ApiException.invalid(
                                                "content",
                                                "content: expected a string, found nothing"));
        int[] tokens = count(content, fields.flag("parse_special").orElse(true));
        return fields.flag("add_special").orElse(false)
                ? BosToken.before(tokens, served.textProcessing().tokenizer())
                : tokens;
    }

    /** Returns each token with its piece of the text; as bytes if the piece is not valid UTF-8. */
    private ArrayNode pieces(int[] tokens) {
        ArrayNode pieces = Json.MAPPER.createArrayNode();
        for (int id : tokens) {
            byte[] bytes = served.textProcessing().tokenizer().piece(id, true);
            ObjectNode piece = pieces.addObject().put("id", id);
            String text = new String(bytes, StandardCharsets.UTF_8);
            if (Arrays.equals(text.getBytes(StandardCharsets.UTF_8), bytes)) {
                piece.put("piece", text);
            } else {
                ArrayNode numbers = piece.putArray("piece");
                for (byte each : bytes) {
                    numbers.add(each & 0xFF);
                }
            }
        }
        return pieces;
    }

    private int[] count(String content, boolean parseSpecial) {
        try {
            return served.textProcessing()
                    .tokenizer()
                    .encode(content, parseSpecial, served.promptLimit().forCounting());
        } catch (TooManyTokensException e) {
            throw ApiException.invalid(
                    "content",
                    "content: expected a text of at most " + e.limit() + " tokens, found more");
        }
    }

    /** Returns the response of {@code /detokenize}. */
    public ObjectNode detokenize(ObjectNode body) {
        JsonNode tokens = new RequestFields(body).require("tokens");
        if (!tokens.isArray()) {
            throw RequestFields.wrongType("tokens", "an array of token ids", tokens);
        }
        int most = served.promptLimit().forCounting().tokens();
        if (tokens.size() > most) {
            throw ApiException.invalid(
                    "tokens",
                    "tokens: expected at most " + most + " token ids, found " + tokens.size());
        }
        int[] ids =
                RequestFields.tokenIds(
                        "tokens", tokens, served.textProcessing().tokenizer().vocabularySize());
        ObjectNode answer = Json.object();
        answer.put(
                "content",
                new DecodedTextLimit("tokens", 1)
                        .decode(served.textProcessing().tokenizer(), ids, true));
        return answer;
    }
}
