package dev.varve.platform.http.conversation;

import dev.varve.platform.http.json.ApiException;
import dev.varve.platform.http.model.ServedModel;

import java.util.ArrayList;
import java.util.List;

/** Collects the images of a request, in the order of its messages. */
public final class ImageCollector {
    /** Most images of a request. */
    private static final int MOST = 32;

    private final boolean accepts;
    private final List<ImageSource> sources = new ArrayList<>();

    private ImageCollector(boolean accepts) {
        this.accepts = accepts;
    }

    /** Returns a collector for a request to a model. */
    public static ImageCollector of(ServedModel served) {
        return new ImageCollector(served.images().isPresent());
    }

    /** Returns a collector for a model that reads text only. */
    public static ImageCollector none() {
        return new ImageCollector(false);
    }

    /** Whether the model reads images. */
    public boolean accepts() {
        return accepts;
    }

    /**
     * Adds an image.
     *
     * @throws ApiException a 400 if there are too many
     */
    public void add(ImageSource source) {
        if (sources.size() == MOST) {
            throw ApiException.invalid(
                    source.where(),
                    source.where() + ": more than " + MOST + " images in a request");
        }
        sources.add(source);
    }

    /** The images so far. */
    public List<ImageSource> sources() {
        return List.copyOf(sources);
    }
}
