package dev.varve.platform.cli;

import dev.varve.api.model.LayerRange;
import dev.varve.platform.host.DraftMemoryPlan;
import dev.varve.platform.host.ImageMemoryPlan;
import dev.varve.platform.host.PrefillDrafterMemoryPlan;
import dev.varve.platform.host.PreparedModel;
import dev.varve.platform.paging.PagingOptions;
import dev.varve.platform.plan.CachingProbe.Age;
import dev.varve.platform.plan.ExpertReadForecast;
import dev.varve.platform.plan.Measurement;
import dev.varve.platform.plan.SpeculationForecast;
import dev.varve.platform.plan.SplitForecast;
import dev.varve.platform.runtime.MemoryPlan;
import dev.varve.platform.runtime.OtherDeviceMemory;
import dev.varve.platform.runtime.PoolPlan;
import dev.varve.platform.setting.ByteCount;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

import java.util.Locale;
import java.util.Optional;

/** Estimates memory and speed of a model on its devices. */
@Command(
        name = "plan",
        addMethodSubcommands = false,
        description = {
            "Shows the memory and speed to expect of a model on devices. The output has three lines"
                + " per shard, in layer order, and one line for the host memory of the prefix"
                + " cache. --kvflash adds one line for the bounded cache, and --replicas one for"
                + " all replicas together.",
            "The command does not load the whole model. It loads a few layers to measure each"
                    + " device, and stores the result for later runs. Give the same flags to varve"
                    + " serve for the same placement."
        },
        customSynopsis = "varve plan [--model FILE] [OPTIONS]",
        footer = {
            "  varve plan --model model.gguf --target-devices cuda:0,cpu:0",
            "  varve plan --model model.gguf --target-devices cuda:0,cpu:0 \\",
            "       --target-layer-split 0.8,0.2",
            "  varve plan --model model.gguf --target-devices cuda:0,cpu:0 \\",
            "       --target-layer-split auto --json"
        })
final class PlanCommand extends CliCommand {
    @Mixin private ModelLoadArguments model;

    @Mixin private HostCacheArguments hostCache;

    @Mixin private PoolArguments pools;

    @Mixin private ReplicaOption replicas;

    @Option(
            names = "--parallel",
            paramLabel = "N",
            defaultValue = "1",
            description = "Number of requests that are decoded together, as with varve serve.",
            order = 3)
    private int parallel;

    @Option(
            names = "--kv-tokens",
            paramLabel = "N",
            description =
                    "Tokens of the KV cache of all requests, as with varve serve. Without it, the"
                            + " plan needs room for one context of --max-ctx tokens.",
            order = 3)
    private Optional<Integer> kvTokens = Optional.empty();

    @Option(names = "--json", description = "Print one JSON object.", order = 4)
    private boolean json;

    @Override
    int run() {
        PoolArguments.Choice choice = pools.plan(environment(), choose(model.model()).isDemo());
        PreparedModel prepared =
                PreparedModel.open(
                        model.host(
                                replicas.in(
                                        model.settings(
                                                        parallel,
                                                        ModelLoadArguments.positive(
                                                                kvTokens, "--kv-tokens"))
                                                .with(hostCache.limit())
                                                .withPool(choice.pool())),
                                environment(),
                                true,
                                choice.reader()),
                        new ModelLoadLog(model));
        SplitForecast forecast = prepared.forecast(Age.ANY);
        Optional<DraftMemoryPlan> draft = prepared.draftPlan();
        Optional<SpeculationForecast> guesses =
                draft.map(plan -> prepared.forecast(plan, forecast));
        Optional<PrefillDrafterMemoryPlan> drafter = prepared.drafterPlan();
        Optional<ImageMemoryPlan> images = prepared.imagePlan();
        if (json) {
            ObjectNode result = describe(prepared, forecast);
            drafter.ifPresent(plan -> describe(plan, result.putObject("drafter")));
            images.ifPresent(plan -> describe(plan, result.putObject("image_encoder")));
            draft.ifPresent(
                    plan -> describe(plan, guesses.orElseThrow(), result.putObject("draft")));
            out().println(CliJson.write(result));
        } else {
            print(forecast);
            drafter.ifPresent(this::print);
            images.ifPresent(this::print);
            draft.ifPresent(plan -> print(plan, guesses.orElseThrow(), forecast.replicas()));
        }
        return 0;
    }

    private void print(PrefillDrafterMemoryPlan drafter) {
        out().println(
                        String.format(
                                Locale.ROOT,
                                "prefill drafter on %s: %s weights, up to %s more while"
                                        + " it scores a prompt of %d tokens",
                                drafter.device(),
                                ByteCount.format(drafter.weightBytes()),
                                ByteCount.format(drafter.readingBytes()),
                                drafter.tokens()));
    }

    private static void describe(PrefillDrafterMemoryPlan drafter, ObjectNode result) {
        result.put("file", drafter.file().toString())
                .put("device", drafter.device().toString())
                .put("weight_bytes", drafter.weightBytes())
                .put("prompt_tokens", drafter.tokens())
                .put("reading_bytes", drafter.readingBytes());
    }

    private void print(ImageMemoryPlan images) {
        out().println(
                        String.format(
                                Locale.ROOT,
                                "image encoder on %s: %s weights, up to %s more while it encodes"
                                        + " an image of %d tokens",
                                images.device(),
                                ByteCount.format(images.weightBytes()),
                                ByteCount.format(images.computeBytes()),
                                images.tokens()));
    }

    private static void describe(ImageMemoryPlan images, ObjectNode result) {
        result.put("file", images.file().toString())
                .put("device", images.device().toString())
                .put("weight_bytes", images.weightBytes())
                .put("image_tokens", images.tokens())
                .put("compute_bytes", images.computeBytes());
    }

    private void print(DraftMemoryPlan draft, SpeculationForecast guesses, int replicas) {
        draft.device()
                .ifPresent(
                        device ->
                                out().println(
                                                String.format(
                                                        Locale.ROOT,
                                                        "draft model on %s: %s weights,"
                                                                + " %s context%s",
                                                        device,
                                                        ByteCount.format(draft.weightBytes()),
                                                        ByteCount.format(draft.cacheBytes()),
                                                        replicas > 1 ? " for each replica" : "")));
        out().println(
                        String.format(
                                Locale.ROOT,
                                "with draft tokens: a step that verifies %d takes %s instead of %s,"
                                    + " drafting takes about %s; faster from %.1f tokens per step"
                                    + " on",
                                guesses.tokens() - 1,
                                millis(guesses.checkMillis()),
                                millis(guesses.plainMillis()),
                                millis(guesses.draftMillis()),
                                guesses.breakEvenLength()));
        out().println(
                        String.format(
                                Locale.ROOT,
                                "    at %d tokens per step decode is %.2f times as fast, at %d it"
                                        + " is %.2f times",
                                guesses.tokens() / 2,
                                guesses.speedup(guesses.tokens() / 2),
                                guesses.tokens() - 1,
                                guesses.speedup(guesses.tokens() - 1)));
    }

    private static void describe(
            DraftMemoryPlan draft, SpeculationForecast guesses, ObjectNode result) {
        result.put("source", draft.source());
        draft.device().ifPresent(device -> result.put("device", device.toString()));
        result.put("weight_bytes", draft.weightBytes())
                .put("cache_bytes", draft.cacheBytes())
                .put("step_tokens", guesses.tokens())
                .put("plain_ms", guesses.plainMillis())
                .put("check_ms", guesses.checkMillis())
                .put("guess_ms", guesses.draftMillis())
                .put("break_even_acceptance_length", guesses.breakEvenLength());
    }

    private void print(SplitForecast forecast) {
        forecast.reasons().stream().map(FlagNames.FLAGS::render).forEach(out()::println);
        for (SplitForecast.Part part : forecast.parts()) {
            part.memory().describe().forEach(out()::println);
            out().println(
                            String.format(
                                    Locale.ROOT,
                                    "    %s per token, %s per chunk of 512 in prefill",
                                    millis(part.time().decodeMillis()),
                                    millis(part.time().prefillMillis())));
            out().println("    " + describe(part.measurement()));
        }
        if (forecast.hostCache().isPresent()) {
            out().println(forecast.hostCache().describe());
        }
        forecast.pool().describe().ifPresent(out()::println);
        forecast.reads().map(ExpertReadForecast::describe).ifPresent(out()::println);
        forecast.memory().describeReplicas().ifPresent(out()::println);
        out().println("server: " + millis(forecast.serverMillis()) + " more per token");
        out().println(
                        String.format(
                                Locale.ROOT,
                                "expected: prefill %.1f tokens/s, decode %.1f tokens/s, of one"
                                        + " request at a time without draft tokens",
                                forecast.prefillTokensPerSecond(),
                                forecast.decodeTokensPerSecond()));
    }

    private static String describe(Measurement measurement) {
        return measurement.describe()
                + (measurement.isLoaded() ? "; --measure-again measures again" : "");
    }

    private static String millis(double value) {
        return String.format(Locale.ROOT, "%.2f ms", value);
    }

    private static ObjectNode describe(PreparedModel prepared, SplitForecast forecast) {
        ObjectNode result =
                CliJson.object()
                        .put("model", prepared.model().file().path().toString())
                        .put("architecture", prepared.model().file().architecture())
                        .put("devices", forecast.placement().devices())
                        .put("prefill_tokens_per_second", forecast.prefillTokensPerSecond())
                        .put("decode_tokens_per_second", forecast.decodeTokensPerSecond())
                        .put("server_ms_per_token", forecast.serverMillis());
        forecast.reads()
                .ifPresent(
                        reads ->
                                result.putObject("expert_reads")
                                        .put("bytes_per_token", (long) reads.bytesPerToken())
                                        .put("bytes_per_chunk", (long) reads.bytesPerChunk())
                                        .put("bytes_per_second", (long) reads.bytesPerSecond()));
        result.put("host_cache_bytes", forecast.hostCache().bytes());
        result.put("replicas", forecast.replicas())
                .put("all_replicas_bytes", forecast.memory().bytesOfAll());
        forecast.pool()
                .options()
                .ifPresent(
                        options -> describe(options, forecast.pool(), result.putObject("kvflash")));
        ArrayNode reasons = result.putArray("reasons");
        forecast.reasons().stream().map(FlagNames.FLAGS::render).forEach(reasons::add);
        ArrayNode shards = result.putArray("shards");
        forecast.parts().forEach(part -> describe(part, shards.addObject()));
        return result;
    }

    private static void describe(PagingOptions options, PoolPlan pool, ObjectNode result) {
        result.put("pool_tokens", options.poolTokens())
                .put("context_tokens", pool.contextTokens())
                .put("policy", options.policy().word())
                .put("tau", options.tau())
                .put("host_bytes", pool.pages().mostBytes());
        pool.pages().leftBytes().ifPresent(left -> result.put("host_free_bytes", left));
    }

    private static void describe(SplitForecast.Part part, ObjectNode shard) {
        LayerRange range = part.memory().where().range();
        MemoryPlan memory = part.memory().memory();
        shard.put("device", part.memory().where().device().toString());
        shard.putArray("layers").add(range.begin()).add(range.end());
        shard.put("weight_bytes", memory.need().weightBytes())
                .put("kv_bytes", memory.need().kvBytes())
                .put("state_bytes", memory.need().stateBytes())
                .put("compute_bytes", memory.need().computeBytes())
                .put("total_bytes", memory.need().totalBytes())
                .put("free_bytes", memory.availableBytes())
                .put("prefill_tokens_per_second", part.prefillTokensPerSecond())
                .put("decode_tokens_per_second", part.decodeTokensPerSecond())
                .put("measured_at", part.measurement().time().toString());
        part.measurement().load().ifPresent(load -> shard.put("measured_load", load));
        if (!part.memory().others().isEmpty()) {
            ArrayNode others = shard.putArray("other_devices");
            part.memory().others().forEach(other -> describe(other, others.addObject()));
        }
    }

    private static void describe(OtherDeviceMemory other, ObjectNode out) {
        out.put("device", other.device().toString())
                .put("weight_bytes", other.need().weightBytes())
                .put("compute_bytes", other.need().computeBytes())
                .put("total_bytes", other.need().totalBytes())
                .put("free_bytes", other.availableBytes());
    }
}
