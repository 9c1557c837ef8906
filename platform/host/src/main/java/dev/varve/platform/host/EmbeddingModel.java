package dev.varve.platform.host;

import dev.varve.api.VarveException;
import dev.varve.api.gguf.GgufFile;
import dev.varve.platform.embedding.BatchingTextEmbedder;
import dev.varve.platform.placement.DeviceReference;
import dev.varve.platform.plugin.PluginCatalog;
import dev.varve.platform.runtime.UnreadKeys;
import dev.varve.platform.runtime.ZeroTensors;
import dev.varve.platform.shard.local.LocalTextEncoder;
import dev.varve.platform.tokenizer.Tokenizer;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * A loaded model that computes vectors or scores of texts, on one device of this process. {@link
 * #close} frees it. Thread-safe.
 */
@SuppressWarnings("exports") // see package-info
public final class EmbeddingModel implements AutoCloseable {
    /** Time after which the device is released for other models. */
    private static final Duration TURN = Duration.ofMillis(100);

    private final GgufFile file;
    private final Tokenizer tokenizer;
    private final int contextLength;
    private final BatchingTextEmbedder embedder;
    private final String device;
    private final double loadMillis;
    private final Runnable release;

    private EmbeddingModel(
            GgufFile file,
            Tokenizer tokenizer,
            int contextLength,
            BatchingTextEmbedder embedder,
            String device,
            double loadMillis,
            Runnable release) {
        this.file = file;
        this.tokenizer = tokenizer;
        this.contextLength = contextLength;
        this.embedder = embedder;
        this.device = device;
        this.loadMillis = loadMillis;
        this.release = release;
    }

    /**
     * Returns whether a file computes vectors or scores and generates no text: it was made for
     * them, or its architecture generates none.
     *
     * @param chats whether it has a chat template, as files that generate text do
     * @param catalog the families, which are asked if the file does not say it
     * @throws VarveException if the file cannot be read
     */
    public static boolean isEncoder(Path path, boolean chats, Supplier<PluginCatalog> catalog) {
        GgufFile file = GgufFile.open(path);
        return EncoderFile.isMadeForIt(file)
                || !chats && EncoderFile.isOfEncoder(file, catalog.get());
    }

    /**
     * Opens and loads a model.
     *
     * @param asked how texts become results
     * @throws VarveException if the file, its family or a device cannot be used, or it does not fit
     *     the memory
     */
    public static EmbeddingModel open(
            HostSettings settings, EmbeddingSettings asked, ModelLoadListener listener) {
        long begin = System.nanoTime();
        GgufFile file = ZeroTensors.requireWeights(settings.file(), listener::warning);
        EmbeddingSource source = EmbeddingSource.open(file, settings, asked);
        UnreadKeys.of(file).warning().ifPresent(listener::warning);
        listener.opened(file, source.tokenizer());
        return load(source, listener, begin);
    }

    /** Loads a model on a device of its own. */
    static EmbeddingModel load(EmbeddingSource source, ModelLoadListener listener, long begin) {
        EmbeddingDevice device = EmbeddingDevice.open(source.settings(), source.catalog());
        try {
            LocalTextEncoder local =
                    new LocalTextEncoder(
                            source.encoder(), source.pooling(), device.device(), TURN, listener);
            device.claim(local.weightBytes());
            return of(source, local, device.reference(), listener, begin, device::close);
        } catch (RuntimeException | Error e) {
            device.close();
            throw e;
        }
    }

    /**
     * Opens a model with the weights of one that generates text, which must be closed later.
     *
     * @return empty if that model does not hold all of them on one device of this process
     */
    static Optional<EmbeddingModel> sharing(
            HostedModel model, EmbeddingSource source, ModelLoadListener listener) {
        long begin = System.nanoTime();
        return source.causal()
                .flatMap(encoder -> model.textEncoder(encoder, source.pooling(), TURN))
                .map(
                        local ->
                                of(
                                        source,
                                        local,
                                        model.placement().parts().getFirst().device(),
                                        listener,
                                        begin,
                                        () -> {}));
    }

    private static EmbeddingModel of(
            EmbeddingSource source,
            LocalTextEncoder local,
            DeviceReference device,
            ModelLoadListener listener,
            long begin,
            Runnable release) {
        BatchingTextEmbedder embedder =
                new BatchingTextEmbedder(local, source.maxTokens(), source.pairs());
        listener.note(describe(source.file(), device, embedder));
        return new EmbeddingModel(
                source.file(),
                source.tokenizer(),
                source.encoder().sizes().contextLength(),
                embedder,
                device.toString(),
                (System.nanoTime() - begin) / 1e6,
                release);
    }

    private static String describe(
            GgufFile file, DeviceReference device, BatchingTextEmbedder embedder) {
        return String.format(
                Locale.ROOT,
                "embeddings: %s on %s, pooling %s, texts of up to %d tokens%s",
                file.path().getFileName(),
                device,
                embedder.pooling().word(),
                embedder.maxTokens(),
                embedder.weightBytes() == 0 ? ", with the weights for generation" : "");
    }

    /** Returns the model file. */
    public GgufFile file() {
        return file;
    }

    /** Returns the tokenizer of the file. */
    public Tokenizer tokenizer() {
        return tokenizer;
    }

    /** Returns what computes vectors and scores; the model owns it. */
    public BatchingTextEmbedder embedder() {
        return embedder;
    }

    /** Returns the tokens of a text that the model was trained for. */
    public int contextLength() {
        return contextLength;
    }

    /** Returns the device. */
    public String device() {
        return device;
    }

    /** Returns the duration of opening and loading in milliseconds. */
    public double loadMillis() {
        return loadMillis;
    }

    @Override
    public void close() {
        try {
            embedder.close();
        } finally {
            release.run();
        }
    }
}
