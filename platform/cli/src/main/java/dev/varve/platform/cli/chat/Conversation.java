package dev.varve.platform.cli.chat;

import dev.varve.platform.cli.chat.ChatMessage.Role;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The messages of a chat: an optional system prompt, then messages of the user and responses in
 * turn. For one thread.
 */
final class Conversation {
    private Optional<String> system = Optional.empty();
    private final List<ChatMessage> turns = new ArrayList<>();

    /** Returns all messages, the system prompt first. */
    List<ChatMessage> messages() {
        List<ChatMessage> all = new ArrayList<>();
        system.ifPresent(text -> all.add(new ChatMessage(Role.SYSTEM, text)));
        all.addAll(turns);
        return List.copyOf(all);
    }

    /** Returns the system prompt, if one is set. */
    Optional<String> system() {
        return system;
    }

    /** Sets the system prompt; an empty text removes it. */
    void setSystem(String text) {
        system = Optional.of(text).filter(each -> !each.isEmpty());
    }

    /** Returns the number of messages without the system prompt. */
    int size() {
        return turns.size();
    }

    /** Adds a message of the user or a response. */
    void add(ChatMessage message) {
        turns.add(message);
    }

    /** Removes all messages but the system prompt. */
    void clear() {
        turns.clear();
    }

    /** Replaces everything; a system prompt may only come first. */
    void replace(List<ChatMessage> messages) {
        clear();
        boolean hasSystem = !messages.isEmpty() && messages.getFirst().role() == Role.SYSTEM;
        setSystem(hasSystem ? messages.getFirst().content() : "");
        turns.addAll(hasSystem ? messages.subList(1, messages.size()) : messages);
    }

    /**
     * Removes the last message of the user and its response. Without such a message nothing
     * changes.
     *
     * @return whether there was a message
     */
    boolean undo() {
        if (!removeResponse()) {
            return false;
        }
        turns.removeLast();
        return true;
    }

    /**
     * Removes the response to the last message of the user, if there is one. Without such a message
     * nothing changes.
     *
     * @return whether there is a message, which is now the last one
     */
    boolean removeResponse() {
        boolean hasResponse = !turns.isEmpty() && turns.getLast().role() == Role.ASSISTANT;
        int end = turns.size() - (hasResponse ? 1 : 0);
        if (end == 0 || turns.get(end - 1).role() != Role.USER) {
            return false;
        }
        turns.subList(end, turns.size()).clear();
        return true;
    }
}
