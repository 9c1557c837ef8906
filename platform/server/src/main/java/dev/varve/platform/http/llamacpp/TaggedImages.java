package dev.varve.platform.http.llamacpp;

import dev.varve.api.vision.ImageMarks;
import dev.varve.platform.chat.ChatPrompt;
import dev.varve.platform.http.conversation.ImageCollector;
import dev.varve.platform.http.conversation.ImageSource;
import dev.varve.platform.http.conversation.MediaKind;
import dev.varve.platform.http.json.ApiException;
import dev.varve.platform.http.json.RequestFields;
import dev.varve.platform.http.model.BosToken;
import dev.varve.platform.http.model.ServedModel;
import dev.varve.platform.tokenizer.TokenLimit;
import dev.varve.platform.tokenizer.Tokenizer;
import dev.varve.platform.tokenizer.TooManyTokensException;

import tools.jackson.databind.JsonNode;

import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;

/**
 * The images of {@code image_data}, whose places in a text are tags: {@code [img-10]} for the image
 * with the id 10.
 */
final class TaggedImages {
    /** Name of the field. */
    static final String FIELD = "image_data";

    private static final Pattern TAG = Pattern.compile("\\[img-(\\d{1,9})]");

    private final ServedModel.ImageInput input;
    private final Tokenizer tokenizer;
    private final Map<Integer, ImageSource> images = new LinkedHashMap<>();

    /** The images in the order of their tags; one may appear several times. */
    private final ImageCollector placed;

    private TaggedImages(ServedModel served, ServedModel.ImageInput input) {
        this.input = input;
        tokenizer = served.textProcessing().tokenizer();
        placed = ImageCollector.of(served);
    }

    /** Whether a body has images. */
    static boolean areIn(RequestFields fields) {
        return fields.find(FIELD).filter(images -> !images.isEmpty()).isPresent();
    }

    /**
     * Reads the images of a body that has some.
     *
     * @throws ApiException a 400 if the model reads text only, or one is malformed
     */
    static TaggedImages read(RequestFields fields, ServedModel served) {
        TaggedImages read =
                new TaggedImages(
                        served, served.images().orElseThrow(() -> MediaKind.IMAGE.refused(FIELD)));
        JsonNode given = fields.require(FIELD);
        if (!given.isArray()) {
            throw RequestFields.wrongType(FIELD, "an array of images", given);
        }
        for (int i = 0; i < given.size(); i++) {
            String where = FIELD + "[" + i + "]";
            JsonNode image = given.get(i);
            if (!image.path("id").isInt()) {
                throw ApiException.invalid(
                        where + ".id", where + ".id: expected the number of a tag");
            }
            read.images.put(
                    image.get("id").intValue(),
                    ImageSource.ofBase64(where, image.path("data").asString("")));
        }
        return read;
    }

    /** The images of the tags that {@link #prompt} has found, in their order. */
    List<ImageSource> sources() {
        return placed.sources();
    }

    /**
     * Returns a text with a placeholder for each tag of an image.
     *
     * @throws ApiException a 400 if an image has no tag
     * @throws TooManyTokensException if the text exceeds the limit
     */
    ChatPrompt prompt(String text, TokenLimit limit) {
        IntStream.Builder tokens = IntStream.builder();
        Map<Integer, ImageSource> unused = new LinkedHashMap<>(images);
        Matcher tags = TAG.matcher(text);
        int done = 0;
        int count = 0;
        while (tags.find()) {
            int id = Integer.parseInt(tags.group(1));
            if (images.containsKey(id)) {
                int[] piece = encoded(text.substring(done, tags.start()), done == 0, limit);
                count += piece.length;
                Arrays.stream(piece).forEach(tokens);
                marked(text, tags).forEach(tokens);
                placed.add(images.get(id));
                unused.remove(id);
                done = tags.end();
            }
            requireBelow(count, limit);
        }
        Arrays.stream(encoded(text.substring(done), done == 0, limit)).forEach(tokens);
        unused.forEach(
                (id, image) -> {
                    throw ApiException.invalid(
                            image.where(), image.where() + ": the prompt has no [img-" + id + "]");
                });
        int[] all = tokens.build().toArray();
        requireBelow(all.length, limit);
        return ChatPrompt.ofText(all, text);
    }

    private static void requireBelow(int count, TokenLimit limit) {
        if (count > limit.tokens()) {
            throw new TooManyTokensException(limit.tokens());
        }
    }

    private int[] encoded(String text, boolean first, TokenLimit limit) {
        int[] tokens = tokenizer.encode(text, true, limit);
        return first ? BosToken.before(tokens, tokenizer) : tokens;
    }

    /** Returns the placeholder, with the marks that a chat template writes unless the text does. */
    private IntStream marked(String text, Matcher tag) {
        ImageMarks marks = input.encoder().marks();
        boolean isMarked =
                marks.writer() == ImageMarks.Writer.PLATFORM
                        || text.substring(0, tag.start()).endsWith(marks.begin())
                                && text.startsWith(marks.end(), tag.end());
        return isMarked
                ? IntStream.of(id(marks.placeholder()))
                : IntStream.of(id(marks.begin()), id(marks.placeholder()), id(marks.end()));
    }

    private int id(String mark) {
        return tokenizer.tokenId(mark).orElseThrow();
    }
}
