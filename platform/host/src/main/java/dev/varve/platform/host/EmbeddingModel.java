package dev.varve.platform.host;

import dev.varve.api.VarveException;
import dev.varve.api.backend.ComputeDevice;
import dev.varve.api.backend.DeviceInfo;
import dev.varve.api.gguf.GgufFile;
import dev.varve.api.model.Pooling;
import dev.varve.api.model.TextEncoder;
import dev.varve.platform.embedding.BatchingTextEmbedder;
import dev.varve.platform.embedding.PairTokens;
import dev.varve.platform.placement.DeviceReference;
import dev.varve.platform.placement.LocalBackends;
import dev.varve.platform.placement.PlacementRequest;
import dev.varve.platform.plugin.PluginCatalog;
import dev.varve.platform.runtime.MemoryClaims;
import dev.varve.platform.runtime.SequenceLimits;
import dev.varve.platform.runtime.UnreadKeys;
import dev.varve.platform.runtime.ZeroTensors;
import dev.varve.platform.setting.Setting;
import dev.varve.platform.shard.local.LocalTextEncoder;
import dev.varve.platform.tokenizer.Tokenizer;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Locale;
import java.util.Map;
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
        PluginCatalog catalog = settings.plugins().catalog();
        EncoderFile source = new EncoderFile(file, catalog, settings.model().modelOptions());
        Tokenizer tokenizer = source.tokenizer();
        TextEncoder encoder = source.open(tokenizer);
        UnreadKeys.of(file).warning().ifPresent(listener::warning);
        listener.opened(file, tokenizer);
        Pooling pooling = asked.pooling().orElseGet(encoder::pooling);
        Opened opened = new Opened(settings, catalog);
        try {
            LocalTextEncoder local =
                    new LocalTextEncoder(encoder, pooling, opened.device, TURN, listener);
            opened.claim(local.weightBytes());
            BatchingTextEmbedder embedder =
                    new BatchingTextEmbedder(
                            local,
                            maxTokens(settings, encoder),
                            PairTokens.of(tokenizer, file.metadata(), !source.isEncoder()));
            listener.note(describe(file, opened.reference, pooling, embedder.maxTokens()));
            return new EmbeddingModel(
                    file,
                    tokenizer,
                    encoder.sizes().contextLength(),
                    embedder,
                    opened.reference.toString(),
                    (System.nanoTime() - begin) / 1e6,
                    opened::close);
        } catch (RuntimeException | Error e) {
            opened.close();
            throw e;
        }
    }

    private static int maxTokens(HostSettings settings, TextEncoder encoder) {
        int asked =
                settings.model().sequences().contextTokens().orElse(SequenceLimits.DEFAULT_CONTEXT);
        return Math.min(asked, encoder.sizes().contextLength());
    }

    private static String describe(
            GgufFile file, DeviceReference device, Pooling pooling, int tokens) {
        return String.format(
                Locale.ROOT,
                "embeddings: %s on %s, pooling %s, texts of up to %d tokens",
                file.path().getFileName(),
                device,
                pooling.word(),
                tokens);
    }

    /** The device, with the memory that is claimed on it. */
    private static final class Opened {
        private final HostSettings settings;
        private final LocalBackends backends;
        private final DeviceReference reference;
        private final ComputeDevice device;
        private Optional<MemoryClaims.Claim> claim = Optional.empty();

        Opened(HostSettings settings, PluginCatalog catalog) {
            this.settings = settings;
            PlacementRequest asked = settings.devices().placement();
            backends =
                    new LocalBackends(
                            catalog.backends(),
                            settings.plugins().backendOptions(asked.peerAccess()));
            reference = asked.resolve(backends::best).devices().getFirst();
            if (!reference.isLocal()) {
                throw new VarveException(
                        VarveException.Kind.INVALID_REQUEST,
                        Setting.DEVICE
                                + ": "
                                + reference
                                + ": embeddings are computed on devices of this process only");
            }
            device =
                    backends.openDevice(
                            reference, settings.devices().options(CpuSharingMode.ALONE));
        }

        void claim(long bytes) {
            claim =
                    settings.devices()
                            .claims()
                            .map(all -> all.claim(Map.of(reference, bytes), this::info));
        }

        private DeviceInfo info(DeviceReference of) {
            return backends.info(of);
        }

        void close() {
            claim.ifPresent(MemoryClaims.Claim::close);
            device.close();
        }
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
