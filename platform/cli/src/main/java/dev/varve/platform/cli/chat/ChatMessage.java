package dev.varve.platform.cli.chat;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;

/**
 * One message of a conversation.
 *
 * @param role author of the message
 * @param content text; empty for a response that was stopped while the model reasoned
 * @param reasoning reasoning of the model before the text; empty for other roles
 * @param images images before the text
 */
public record ChatMessage(Role role, String content, String reasoning, List<ChatImage> images) {
    /** Author of a message. */
    public enum Role {
        /** Instructions for the whole conversation. */
        SYSTEM,
        /** The user. */
        USER,
        /** The model. */
        ASSISTANT;

        /** Returns the name in the API of OpenAI. */
        public String wireName() {
            return name().toLowerCase(Locale.ROOT);
        }

        /** Returns the role of such a name. */
        static Optional<Role> of(String wireName) {
            return Arrays.stream(values())
                    .filter(role -> role.wireName().equals(wireName))
                    .findFirst();
        }
    }

    /** Refuses missing texts. */
    public ChatMessage {
        Objects.requireNonNull(role);
        Objects.requireNonNull(content);
        Objects.requireNonNull(reasoning);
        images = List.copyOf(images);
    }

    /** Creates a message without images. */
    public ChatMessage(Role role, String content, String reasoning) {
        this(role, content, reasoning, List.of());
    }

    /** Creates a message without reasoning. */
    public ChatMessage(Role role, String content) {
        this(role, content, "");
    }
}
