package dev.varve.platform.http.conversation;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** The content of a message in parts: texts, and places of images. */
public final class MessageParts {
    private static final String TYPE = "type";
    private static final String TEXT = "text";

    private final List<Map<String, Object>> parts = new ArrayList<>();
    private boolean hasImages;

    /** Creates a content without parts. */
    public MessageParts() {}

    /** Adds a text. */
    public void text(String text) {
        parts.add(Map.of(TYPE, TEXT, TEXT, text));
    }

    /** Adds the place of an image. */
    public void image() {
        parts.add(Map.of(TYPE, "image"));
        hasImages = true;
    }

    /** Adds the texts of a content to another one, and its images to a list. */
    static void split(List<?> content, MessageParts texts, List<Object> images) {
        for (Object part : content) {
            if (part instanceof Map<?, ?> fields && fields.get(TEXT) instanceof String text) {
                texts.text(text);
            } else {
                images.add(part);
            }
        }
    }

    /** Returns a content with images before it. */
    static List<Object> before(List<?> images, Object content) {
        List<Object> all = new ArrayList<>(images);
        if (content instanceof List<?> parts) {
            all.addAll(parts);
        } else {
            all.add(Map.of(TYPE, TEXT, TEXT, content));
        }
        return all;
    }

    /** Returns the content for a chat template: parts with images, and otherwise a text. */
    public Object forTemplate() {
        if (hasImages) {
            return List.copyOf(parts);
        }
        StringBuilder text = new StringBuilder();
        parts.forEach(part -> text.append(part.get(TEXT)));
        return text.toString();
    }
}
