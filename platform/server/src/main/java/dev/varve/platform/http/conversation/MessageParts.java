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
