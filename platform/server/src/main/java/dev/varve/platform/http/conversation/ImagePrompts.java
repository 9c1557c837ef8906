package dev.varve.platform.http.conversation;

import dev.varve.platform.chat.ChatPrompt;
import dev.varve.platform.engine.ContextOverflowException;
import dev.varve.platform.http.fetch.FetchDeadline;
import dev.varve.platform.http.fetch.ImageFetcher;
import dev.varve.platform.http.json.ApiException;
import dev.varve.platform.http.model.ServedModel;
import dev.varve.platform.setting.Setting;
import dev.varve.platform.vision.EncodedImage;
import dev.varve.platform.vision.ImageGrid;
import dev.varve.platform.vision.InvalidImageException;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/** The images of a request, and its prompt with them. */
public final class ImagePrompts {
    /** Most bytes of all images that are fetched for a request. */
    private static final int MAX_FETCHED_BYTES = 32 << 20;

    private final ServedModel.ImageInput input;
    private final List<ImageSource> sources;
    private final int context;

    private ImagePrompts(ServedModel.ImageInput input, List<ImageSource> sources, int context) {
        this.input = input;
        this.sources = sources;
        this.context = context;
    }

    /**
     * Checks which images have to be fetched.
     *
     * @param served a model with image input
     * @param sources at least one image
     * @throws ApiException a 400 that names the first one that the server may not fetch
     */
    public static ImagePrompts of(ServedModel served, List<ImageSource> sources) {
        ServedModel.ImageInput input = served.images().orElseThrow();
        for (ImageSource source : sources) {
            if (source.content() instanceof ImageSource.Content.Remote(String url)) {
                named(
                        source,
                        () -> {
                            fetcher(input).check(url);
                            return url;
                        });
            }
        }
        return new ImagePrompts(input, sources, served.engine().status().load().contextTokens());
    }

    private static ImageFetcher fetcher(ServedModel.ImageInput input) {
        return input.fetcher()
                .orElseThrow(
                        () ->
                                new InvalidImageException(
                                        "the server fetches no images; send them as"
                                                + " data:image/png;base64,..., or start it with "
                                                + Setting.ALLOW_IMAGE_URLS
                                                + " HOST"));
    }

    /** Whether images have to be fetched before they can be measured. */
    boolean areRemote() {
        return sources.stream().anyMatch(ImageSource::isRemote);
    }

    /**
     * Fetches the images of other hosts, each URL once.
     *
     * @throws ApiException a 400 that names the image that cannot be fetched
     * @throws CancellationException if the client disconnected
     */
    ImagePrompts fetched(BooleanSupplier disconnected) {
        Map<String, byte[]> files = new HashMap<>();
        Optional<FetchDeadline> deadline = input.fetcher().map(ImageFetcher::beginRequest);
        List<ImageSource> fetched = new ArrayList<>();
        for (ImageSource source : sources) {
            if (source.content() instanceof ImageSource.Content.Remote(String url)) {
                byte[] file = files.get(url);
                if (file == null) {
                    file =
                            named(
                                    source,
                                    () ->
                                            fetcher(input)
                                                    .fetch(
                                                            url,
                                                            deadline.orElseThrow(),
                                                            disconnected));
                    files.put(url, file);
                }
                requireTotal(source, files);
                fetched.add(
                        new ImageSource(
                                source.where(),
                                new ImageSource.Content.Inline(file),
                                source.detail()));
            } else {
                fetched.add(source);
            }
        }
        return new ImagePrompts(input, fetched, context);
    }

    private static void requireTotal(ImageSource source, Map<String, byte[]> files) {
        if (files.values().stream().mapToLong(file -> file.length).sum() > MAX_FETCHED_BYTES) {
            throw ApiException.invalid(
                    source.where(),
                    source.where()
                            + ": the images of the request's URLs have more than "
                            + MAX_FETCHED_BYTES
                            + " bytes");
        }
    }

    /** Whether a prompt has as many placeholders as there are images. */
    boolean havePlacesIn(ChatPrompt text) {
        return input.placeholders().count(text) == sources.size();
    }

    /**
     * Returns the prompt with a placeholder for each token of the images, whose number their
     * headers give.
     *
     * @param text the prompt with placeholders
     * @throws ApiException a 400 that names the image if it cannot be used, or if the template has
     *     no places for all of them
     */
    public ChatPrompt measured(ChatPrompt text) {
        int places = input.placeholders().count(text);
        if (places != sources.size()) {
            throw ApiException.invalid(
                    sources.getFirst().where(),
                    "the chat template of this model has places for "
                            + places
                            + " of the "
                            + sources.size()
                            + " images");
        }
        List<ImageGrid> grids = new ArrayList<>();
        for (ImageSource source : sources) {
            grids.add(
                    named(
                            source,
                            () ->
                                    input.encoder()
                                            .measure(file(source), source.detail().maxTokens())));
        }
        return input.placeholders().measured(text, grids);
    }

    /**
     * Checks that the prompt fits the context.
     *
     * @param text the prompt with placeholders
     * @param output tokens to be generated, at least
     * @throws ContextOverflowException if it does not
     * @throws ApiException like {@link #measured}
     */
    public void requireFits(ChatPrompt text, long output) {
        int tokens = measured(text).tokens().length;
        if (tokens + output > context) {
            throw ContextOverflowException.of(
                    context, tokens, Math.toIntExact(Math.min(output, Integer.MAX_VALUE)));
        }
    }

    /**
     * Encodes the images and returns the prompt with them.
     *
     * @throws CancellationException if the client disconnected
     */
    public ChatPrompt encoded(ChatPrompt text, BooleanSupplier disconnected) {
        List<EncodedImage> images = new ArrayList<>();
        for (ImageSource source : sources) {
            if (disconnected.getAsBoolean()) {
                throw new CancellationException("the client disconnected");
            }
            images.add(
                    named(
                            source,
                            () ->
                                    input.encoder()
                                            .encode(
                                                    file(source),
                                                    source.detail().maxTokens(),
                                                    disconnected)));
        }
        return input.placeholders().expanded(text, images);
    }

    private static byte[] file(ImageSource source) {
        return switch (source.content()) {
            case ImageSource.Content.Inline(byte[] bytes) -> bytes;
            case ImageSource.Content.Remote(String url) ->
                    throw new IllegalStateException("not fetched");
        };
    }

    private static <T> T named(ImageSource source, Supplier<T> reader) {
        try {
            return reader.get();
        } catch (InvalidImageException e) {
            throw ApiException.invalid(source.where(), source.where() + ": " + e.getMessage());
        }
    }
}
