package dev.varve.platform.chat;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

/**
 * Form in which a template expects earlier messages.
 *
 * @param reasoning where it expects reasoning
 * @param isSingle whether a message has at most one call
 * @param hasShortIds whether ids of calls have nine letters and digits
 */
record HistoryStyle(Reasoning reasoning, boolean isSingle, boolean hasShortIds) {
    /** Place of reasoning. */
    enum Reasoning {
        /** In {@code reasoning_content}. */
        OWN_KEY,
        /** In {@code thinking}, and with a call without content. */
        THINKING,
        /** In a block of the content. */
        BLOCK
    }

    private static final String ROLE = "role";
    private static final String CONTENT = "content";
    private static final String REASONING_CONTENT = "reasoning_content";
    private static final String CALLS = "tool_calls";
    private static final String CALL_ID = "tool_call_id";
    private static final String ID = "id";
    private static final String THINKING_KEY = "thinking";
    private static final int SHORT = 9;
    private static final Pattern SHORT_ID = Pattern.compile("[A-Za-z0-9]{" + SHORT + "}");

    static HistoryStyle of(TemplateMarkup markup, String source) {
        return switch (markup) {
            case HARMONY -> new HistoryStyle(Reasoning.THINKING, true, false);
            case LLAMA -> new HistoryStyle(Reasoning.OWN_KEY, true, false);
            case MISTRAL, MISTRAL_WITH_ID, MISTRAL_ARRAY ->
                    new HistoryStyle(
                            source.contains("[THINK]") ? Reasoning.BLOCK : Reasoning.OWN_KEY,
                            false,
                            true);
            default -> new HistoryStyle(Reasoning.OWN_KEY, false, false);
        };
    }

    /** Returns messages in this form; a value that is no message stays as it is. */
    List<Object> adapted(List<?> messages) {
        List<Object> all = new ArrayList<>(messages);
        if (isSingle) {
            all = withSingleCalls(all);
        }
        if (hasShortIds) {
            all.replaceAll(HistoryStyle::withShortIds);
        }
        if (reasoning != Reasoning.OWN_KEY) {
            all.replaceAll(this::withReasoning);
        }
        return all;
    }

    /** Gives each call a message of its own, which its result follows; drops empty lists. */
    private static List<Object> withSingleCalls(List<Object> messages) {
        List<Object> all = new ArrayList<>();
        int at = 0;
        while (at < messages.size()) {
            Map<String, Object> message = fields(messages.get(at));
            List<?> calls = calls(message);
            at++;
            if (calls.size() <= 1) {
                boolean isEmpty = calls.isEmpty() && message.remove(CALLS) != null;
                all.add(isEmpty ? message : messages.get(at - 1));
                continue;
            }
            List<Object> results = new ArrayList<>();
            while (at < messages.size() && isResult(messages.get(at))) {
                results.add(messages.get(at++));
            }
            split(message, calls, results, all);
        }
        return all;
    }

    private static void split(
            Map<String, Object> message, List<?> calls, List<Object> results, List<Object> all) {
        for (int i = 0; i < calls.size(); i++) {
            Map<String, Object> single = new LinkedHashMap<>(message);
            single.put(CALLS, List.of(calls.get(i)));
            if (i > 0) {
                single.put(CONTENT, "");
                single.remove(REASONING_CONTENT);
            }
            all.add(single);
            takeResult(fields(calls.get(i)).get(ID), results, all);
        }
        all.addAll(results);
    }

    /** Moves the result of a call: that with its id, or the next one without an id. */
    private static void takeResult(Object id, List<Object> results, List<Object> all) {
        for (int i = 0; i < results.size(); i++) {
            Object of = fields(results.get(i)).get(CALL_ID);
            if (id == null || of == null || id.equals(of)) {
                all.add(results.remove(i));
                return;
            }
        }
    }

    private static Object withShortIds(Object entry) {
        Map<String, Object> message = fields(entry);
        if (message.get(CALL_ID) instanceof String id) {
            message.put(CALL_ID, shortId(id));
        }
        if (!calls(message).isEmpty()) {
            List<Object> calls = new ArrayList<>();
            for (Object call : calls(message)) {
                Map<String, Object> renamed = fields(call);
                Object id = renamed.get(ID);
                renamed.put(ID, shortId(id instanceof String text ? text : ""));
                calls.add(renamed);
            }
            message.put(CALLS, calls);
        }
        return message.isEmpty() ? entry : message;
    }

    private static String shortId(String id) {
        if (SHORT_ID.matcher(id).matches()) {
            return id;
        }
        try {
            byte[] digest =
                    MessageDigest.getInstance("SHA-256")
                            .digest(id.getBytes(StandardCharsets.UTF_8));
            return HexFormat.of().formatHex(digest).substring(0, SHORT);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }

    private Object withReasoning(Object entry) {
        Map<String, Object> message = fields(entry);
        if (!(message.remove(REASONING_CONTENT) instanceof String thought) || thought.isEmpty()) {
            return message.isEmpty() ? entry : message;
        }
        if (reasoning == Reasoning.THINKING) {
            message.put(THINKING_KEY, thought);
            if (!calls(message).isEmpty()) {
                message.put(CONTENT, "");
            }
            return message;
        }
        List<Object> blocks = new ArrayList<>();
        blocks.add(Map.of("type", THINKING_KEY, THINKING_KEY, thought));
        if (message.get(CONTENT) instanceof String text && !text.isEmpty()) {
            blocks.add(Map.of("type", "text", "text", text));
        } else if (message.get(CONTENT) instanceof List<?> others) {
            blocks.addAll(others);
        }
        message.put(CONTENT, blocks);
        return message;
    }

    private static boolean isResult(Object entry) {
        Object role = fields(entry).get(ROLE);
        return "tool".equals(role) || "ipython".equals(role);
    }

    private static List<?> calls(Map<String, Object> message) {
        return message.get(CALLS) instanceof List<?> calls ? calls : List.of();
    }

    /** Returns a copy of the fields of a message; empty if it is none. */
    private static Map<String, Object> fields(Object entry) {
        Map<String, Object> fields = new LinkedHashMap<>();
        if (entry instanceof Map<?, ?> map) {
            map.forEach((name, value) -> fields.put(String.valueOf(name), value));
        }
        return fields;
    }
}
