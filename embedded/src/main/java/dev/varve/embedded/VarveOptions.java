package dev.varve.embedded;

import java.nio.file.Path;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.function.Consumer;

/**
 * How a model runs, with the settings and defaults of the server.
 *
 * @param devices devices in layer order, separated by commas, such as {@code cpu:0,vulkan:0}; empty
 *     for the best one
 * @param split share of the layers of each device, such as {@code 0.3,0.7}, or {@code auto}; empty
 *     for equal shares
 * @param contextTokens most tokens of one chat, prompt and response together; empty for the model's
 *     own limit, at most 8192
 * @param parallel most responses that are computed together, 1 to 256; others wait
 * @param threads threads on the processor; empty for its physical cores
 * @param isolation where native code runs
 * @param cacheFolder folder for unpacked libraries, which no other user may write to; empty for
 *     {@code VARVE_CACHE}, or {@code ~/.cache/varve}
 * @param chatTemplate Jinja template that replaces that of the model
 * @param sampling values of requests that set none
 * @param reasoning reasoning of requests that set none
 * @param messages accepts warnings and notes for people while the model is opened
 * @since 0.1.0
 */
public record VarveOptions(
        Optional<String> devices,
        Optional<String> split,
        OptionalInt contextTokens,
        int parallel,
        OptionalInt threads,
        Isolation isolation,
        Optional<Path> cacheFolder,
        Optional<String> chatTemplate,
        Sampling sampling,
        Reasoning reasoning,
        Consumer<String> messages) {
    private static final int PARALLEL = 4;

    /** The defaults of the server. */
    public static final VarveOptions DEFAULT =
            new VarveOptions(
                    Optional.empty(),
                    Optional.empty(),
                    OptionalInt.empty(),
                    PARALLEL,
                    OptionalInt.empty(),
                    Isolation.NONE,
                    Optional.empty(),
                    Optional.empty(),
                    Sampling.DEFAULT,
                    Reasoning.DEFAULT,
                    VarveOptions::log);

    /** Checks that nothing is missing. */
    public VarveOptions {
        Objects.requireNonNull(devices);
        Objects.requireNonNull(split);
        Objects.requireNonNull(contextTokens);
        Objects.requireNonNull(threads);
        Objects.requireNonNull(isolation);
        Objects.requireNonNull(cacheFolder);
        Objects.requireNonNull(chatTemplate);
        Objects.requireNonNull(sampling);
        Objects.requireNonNull(reasoning);
        Objects.requireNonNull(messages);
    }

    private static void log(String message) {
        java.lang.System.getLogger(Varve.class.getName())
                .log(java.lang.System.Logger.Level.INFO, message);
    }

    /** Returns a copy on other devices. */
    public VarveOptions withDevices(String devices) {
        return new VarveOptions(
                Optional.of(devices),
                split,
                contextTokens,
                parallel,
                threads,
                isolation,
                cacheFolder,
                chatTemplate,
                sampling,
                reasoning,
                messages);
    }

    /** Returns a copy with another share of the layers for each device. */
    public VarveOptions withSplit(String split) {
        return new VarveOptions(
                devices,
                Optional.of(split),
                contextTokens,
                parallel,
                threads,
                isolation,
                cacheFolder,
                chatTemplate,
                sampling,
                reasoning,
                messages);
    }

    /** Returns a copy for chats of another length. */
    public VarveOptions withContextTokens(int contextTokens) {
        return new VarveOptions(
                devices,
                split,
                OptionalInt.of(contextTokens),
                parallel,
                threads,
                isolation,
                cacheFolder,
                chatTemplate,
                sampling,
                reasoning,
                messages);
    }

    /** Returns a copy that computes another number of responses together. */
    public VarveOptions withParallel(int parallel) {
        return new VarveOptions(
                devices,
                split,
                contextTokens,
                parallel,
                threads,
                isolation,
                cacheFolder,
                chatTemplate,
                sampling,
                reasoning,
                messages);
    }

    /** Returns a copy with a number of threads on the processor. */
    public VarveOptions withThreads(int threads) {
        return new VarveOptions(
                devices,
                split,
                contextTokens,
                parallel,
                OptionalInt.of(threads),
                isolation,
                cacheFolder,
                chatTemplate,
                sampling,
                reasoning,
                messages);
    }

    /** Returns a copy whose native code runs elsewhere. */
    public VarveOptions withIsolation(Isolation isolation) {
        return new VarveOptions(
                devices,
                split,
                contextTokens,
                parallel,
                threads,
                isolation,
                cacheFolder,
                chatTemplate,
                sampling,
                reasoning,
                messages);
    }

    /** Returns a copy with another folder for unpacked libraries. */
    public VarveOptions withCacheFolder(Path cacheFolder) {
        return new VarveOptions(
                devices,
                split,
                contextTokens,
                parallel,
                threads,
                isolation,
                Optional.of(cacheFolder),
                chatTemplate,
                sampling,
                reasoning,
                messages);
    }

    /** Returns a copy with another chat template, the text of one in Jinja. */
    public VarveOptions withChatTemplate(String chatTemplate) {
        return new VarveOptions(
                devices,
                split,
                contextTokens,
                parallel,
                threads,
                isolation,
                cacheFolder,
                Optional.of(chatTemplate),
                sampling,
                reasoning,
                messages);
    }

    /** Returns a copy with other sampling values of requests that set none. */
    public VarveOptions withSampling(Sampling sampling) {
        return new VarveOptions(
                devices,
                split,
                contextTokens,
                parallel,
                threads,
                isolation,
                cacheFolder,
                chatTemplate,
                sampling,
                reasoning,
                messages);
    }

    /** Returns a copy with another reasoning of requests that set none. */
    public VarveOptions withReasoning(Reasoning reasoning) {
        return new VarveOptions(
                devices,
                split,
                contextTokens,
                parallel,
                threads,
                isolation,
                cacheFolder,
                chatTemplate,
                sampling,
                reasoning,
                messages);
    }

    /** Returns a copy that passes warnings and notes elsewhere. */
    public VarveOptions withMessages(Consumer<String> messages) {
        return new VarveOptions(
                devices,
                split,
                contextTokens,
                parallel,
                threads,
                isolation,
                cacheFolder,
                chatTemplate,
                sampling,
                reasoning,
                messages);
    }
}
