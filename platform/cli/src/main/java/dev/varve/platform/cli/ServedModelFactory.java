package dev.varve.platform.cli;

import dev.varve.api.model.ChatDialect;
import dev.varve.platform.chat.ChatRenderer;
import dev.varve.platform.chat.ImagePlaceholders;
import dev.varve.platform.chat.ReasoningDefaults;
import dev.varve.platform.chat.ResponseSyntax;
import dev.varve.platform.chat.UnmarkedCallPolicy;
import dev.varve.platform.embedding.EncoderEngine;
import dev.varve.platform.host.EmbeddingModel;
import dev.varve.platform.host.HostedModel;
import dev.varve.platform.host.ShardMemoryPlan;
import dev.varve.platform.http.fetch.ImageFetcher;
import dev.varve.platform.http.model.MemoryPlacement;
import dev.varve.platform.http.model.ModelDescription;
import dev.varve.platform.http.model.ModelTextProcessing;
import dev.varve.platform.http.model.OutputLimitPolicy;
import dev.varve.platform.http.model.ServedAdapters;
import dev.varve.platform.http.model.ServedModel;
import dev.varve.platform.vision.PromptImages;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Creates the served form of loaded models.
 *
 * @param reasoning reasoning defaults of requests
 * @param exactRows value of {@code --exact-rows}
 * @param recovery whether tool calls without their opening delimiter are parsed as calls
 * @param sampling sampling values that the operator sets
 * @param outputLimit meaning of an output limit if the context has room for fewer tokens
 * @param fetcher fetches the images of other hosts; empty if the server may not
 */
record ServedModelFactory(
        ReasoningDefaults reasoning,
        String exactRows,
        UnmarkedCallPolicy recovery,
        ModelSampling.Operator sampling,
        OutputLimitPolicy outputLimit,
        Optional<ImageFetcher> fetcher) {
    private static final System.Logger LOG = System.getLogger("dev.varve.http");

    /**
     * Creates the served form of a loaded model.
     *
     * @param id its name for clients
     * @param chat its chat template, if any
     */
    ServedModel served(HostedModel runtime, String id, Optional<ChatRenderer> chat) {
        ServedModel text = text(runtime, id, chat);
        return runtime.images().map(images -> text.with(input(images, runtime))).orElse(text);
    }

    /**
     * Creates the served form of a loaded model that generates no text.
     *
     * @param id its name for clients
     */
    ServedModel encoding(EmbeddingModel model, String id) {
        Map<String, Object> details = new LinkedHashMap<>();
        details.put("device", model.device());
        details.put("load_ms", Math.round(model.loadMillis()));
        details.put("pooling", model.embedder().pooling().word());
        details.put("embedding_length", model.embedder().width());
        return new ServedModel(
                        new ModelDescription(
                                id, model.file().architecture(), model.contextLength(), details),
                        new EncoderEngine(id, model.embedder()),
                        new ModelTextProcessing(
                                model.tokenizer(),
                                Optional.empty(),
                                ResponseSyntax.of(
                                        ChatDialect.byTemplate(),
                                        Optional.empty(),
                                        model.tokenizer(),
                                        recovery),
                                reasoning),
                        Optional.empty())
                .with(new ServedModel.Encoding(model.embedder(), true));
    }

    private ServedModel.ImageInput input(PromptImages images, HostedModel runtime) {
        return new ServedModel.ImageInput(
                images, new ImagePlaceholders(images, runtime.tokenizer()), fetcher);
    }

    private static ServedAdapters adapters(HostedModel runtime) {
        return new ServedAdapters(
                runtime.adapters().stream()
                        .map(
                                each ->
                                        new ServedAdapters.Adapter(
                                                each.file().toString(), each.scale()))
                        .toList(),
                new HostedAdapterLoader(runtime.changingAdapters()));
    }

    private ServedModel text(HostedModel runtime, String id, Optional<ChatRenderer> chat) {
        return new ServedModel(
                new ModelDescription(
                                id,
                                runtime.file().architecture(),
                                runtime.adapter().shape().contextLength(),
                                details(runtime),
                                placement(runtime))
                        .with(adapters(runtime)),
                runtime.engine(),
                new ModelTextProcessing(
                        runtime.tokenizer(),
                        chat,
                        ResponseSyntax.of(
                                runtime.adapter().chatDialect(),
                                chat.map(ChatRenderer::dialect),
                                runtime.tokenizer(),
                                recovery),
                        reasoning),
                runtime.compressor(),
                sampling.of(
                        id,
                        runtime.file().metadata(),
                        warning -> LOG.log(System.Logger.Level.WARNING, "{0}: {1}", id, warning)),
                outputLimit);
    }

    private static MemoryPlacement placement(HostedModel runtime) {
        List<ShardMemoryPlan> shards = runtime.plannedShards();
        // Devices that share a memory reported its free bytes one after the other.
        Map<String, MemoryPlacement.MemoryDomain> memories = new LinkedHashMap<>();
        for (ShardMemoryPlan shard : shards) {
            memories.putIfAbsent(
                    shard.memory(),
                    new MemoryPlacement.MemoryDomain(
                            shard.memory(), shard.freeBytes(), shard.totalBytes()));
        }
        for (ShardMemoryPlan shard : shards) {
            for (ShardMemoryPlan.Other other : shard.others()) {
                memories.putIfAbsent(
                        other.plan().memory(),
                        new MemoryPlacement.MemoryDomain(
                                other.plan().memory(), other.freeBytes(), other.totalBytes()));
            }
        }
        return new MemoryPlacement(
                shards.stream()
                        .map(
                                shard ->
                                        new MemoryPlacement.ShardStateMemory(
                                                shard.memory(),
                                                shard.need().stateBytes(),
                                                weightShares(shard)))
                        .toList(),
                List.copyOf(memories.values()));
    }

    /** Returns the shares of a shard's weights that are in other memories. */
    private static Map<String, Double> weightShares(ShardMemoryPlan shard) {
        double all =
                shard.need().weightBytes()
                        + shard.others().stream()
                                .mapToLong(other -> other.plan().need().weightBytes())
                                .sum();
        Map<String, Double> shares = new LinkedHashMap<>();
        shard.others()
                .forEach(
                        other ->
                                shares.merge(
                                        other.plan().memory(),
                                        other.plan().need().weightBytes() / all,
                                        Double::sum));
        return shares;
    }

    private Map<String, Object> details(HostedModel runtime) {
        Map<String, Object> details = new LinkedHashMap<>();
        details.put("device", runtime.placement().devices());
        if (runtime.replicaCount() > 1) {
            details.put("replica_count", runtime.replicaCount());
        }
        details.put("threads", runtime.threads().orElse(0));
        details.put("load_ms", Math.round(runtime.loadMillis()));
        runtime.adapter()
                .shape()
                .window()
                .ifPresent(
                        window ->
                                details.put(
                                        "sliding_window",
                                        Map.of(
                                                "tokens",
                                                window,
                                                "rows_per_sequence",
                                                runtime.plan().capacities().regionSlots(),
                                                "regions",
                                                runtime.plan().capacities().stateRows() - 1)));
        details.put("exact_rows", exactRows);
        details.put("memory_plan", runtime.plan().describe(runtime.placement().devices()));
        return details;
    }
}
