package dev.varve.platform.host;

import dev.varve.api.vision.ImageAttention;
import dev.varve.api.vision.ImageEncoder;
import dev.varve.api.vision.ImageInput;
import dev.varve.api.vision.ImageMarks;
import dev.varve.api.vision.ImagePositions;
import dev.varve.platform.digest.Sha256;
import dev.varve.platform.shard.image.ImageRowEncoder;
import dev.varve.platform.vision.CanvasPainter;
import dev.varve.platform.vision.CanvasRule;
import dev.varve.platform.vision.CanvasSize;
import dev.varve.platform.vision.EncodedImage;
import dev.varve.platform.vision.ImageCounts;
import dev.varve.platform.vision.ImageDecoder;
import dev.varve.platform.vision.ImageGrid;
import dev.varve.platform.vision.ImageHeader;
import dev.varve.platform.vision.ImageKey;
import dev.varve.platform.vision.ImageLimits;
import dev.varve.platform.vision.InvalidImageException;
import dev.varve.platform.vision.PixelNormalizer;
import dev.varve.platform.vision.PromptImages;
import dev.varve.platform.vision.RgbImage;

import java.util.HexFormat;
import java.util.Optional;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;

/** Image input of a loaded model: from files to rows that enter it. Thread-safe. */
@SuppressWarnings("exports") // see package-info
public final class ModelImages implements PromptImages, AutoCloseable {
    private static final long CACHE_BYTES = 256L << 20;

    private final ImageRowEncoder encoder;
    private final ImageDecoder decoder;
    private final CanvasRule rule;
    private final ImageInput input;
    private final byte[] identity;
    private final EncodedImageCache cache = new EncodedImageCache(CACHE_BYTES);
    private final ReentrantLock encoding = new ReentrantLock();
    private final LongAdder encoded = new LongAdder();
    private final LongAdder encodedTokens = new LongAdder();
    private final LongAdder encodeNanos = new LongAdder();
    private final LongAdder cacheHits = new LongAdder();
    private final DecodingBudget decoding = DecodingBudget.ofHeap();

    /**
     * @param encoder owned by this object
     * @param input the encoder's, with the operator's limits
     * @param identity bytes that change with the encoder's weights
     */
    ModelImages(ImageRowEncoder encoder, ImageInput input, ImageLimits limits, byte[] identity) {
        this.encoder = encoder;
        this.input = input;
        this.identity = identity;
        decoder = new ImageDecoder(limits);
        rule = CanvasRule.of(input);
    }

    /** The encoder, as its file describes it. */
    public ImageEncoder encoder() {
        return encoder.encoder();
    }

    /** Name of the device that encodes. */
    public String device() {
        return encoder.device();
    }

    /** Most tokens of an image. */
    public int maxTokens() {
        return input.maxTokens();
    }

    @Override
    public ImageMarks marks() {
        return encoder().marks();
    }

    @Override
    public ImagePositions positions() {
        return encoder().positions();
    }

    @Override
    public ImageAttention attention() {
        return encoder().attention();
    }

    @Override
    public ImageGrid measure(byte[] file, int maxTokens) {
        return measure(file, rule.limitedTo(maxTokens));
    }

    private ImageGrid measure(byte[] file, CanvasRule limited) {
        ImageHeader header = decoder.header(file);
        CanvasSize canvas = limited.canvas(header.width(), header.height());
        if (limited.tokens(canvas) > limited.maxTokens()) {
            throw new InvalidImageException(
                    header.size()
                            + " pixels take "
                            + limited.tokens(canvas)
                            + " tokens; at most "
                            + limited.maxTokens()
                            + " are allowed");
        }
        return new ImageGrid(limited.columns(canvas), limited.rows(canvas));
    }

    @Override
    public EncodedImage encode(byte[] file, int maxTokens, BooleanSupplier cancelled) {
        CanvasRule limited = rule.limitedTo(maxTokens);
        String digest =
                HexFormat.of().formatHex(Sha256.begin().digest(file)) + ":" + limited.maxTokens();
        Optional<EncodedImage> known = cache.find(digest);
        if (known.isPresent()) {
            cacheHits.increment();
            return known.get();
        }
        ImageGrid grid = measure(file, limited);
        RgbImage canvas = canvas(file, limited);
        ImageKey key = ImageKey.of(identity, canvas);
        // Two requests with one image: the second one finds what the first one computes.
        encoding.lock();
        try {
            Optional<EncodedImage> found = cache.find(key);
            found.ifPresent(image -> cacheHits.increment());
            EncodedImage image =
                    found.orElseGet(() -> new EncodedImage(grid, key, rows(canvas, cancelled)));
            cache.add(digest, image);
            return image;
        } finally {
            encoding.unlock();
        }
    }

    private float[] rows(RgbImage canvas, BooleanSupplier cancelled) {
        long begin = System.nanoTime();
        float[] rows = encoder.encode(PixelNormalizer.normalize(canvas, input), cancelled);
        encodeNanos.add(System.nanoTime() - begin);
        encoded.increment();
        encodedTokens.add(rule.tokens(new CanvasSize(canvas.width(), canvas.height())));
        return rows;
    }

    @Override
    public ImageCounts counts() {
        return new ImageCounts(
                encoded.sum(),
                encodedTokens.sum(),
                encodeNanos.sum(),
                cacheHits.sum(),
                cache.bytes());
    }

    private RgbImage canvas(byte[] file, CanvasRule limited) {
        return decoding.run(
                decoder.header(file),
                () -> {
                    RgbImage image = decoder.decode(file);
                    CanvasSize size = limited.canvas(image.width(), image.height());
                    return CanvasPainter.paint(image, size);
                });
    }

    @Override
    public void close() {
        encoder.close();
    }
}
