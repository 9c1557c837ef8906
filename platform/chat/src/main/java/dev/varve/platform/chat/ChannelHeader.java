package dev.varve.platform.chat;

import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Header of a message in a channel. Models write malformed ones: no text is an error, and an
 * unknown channel is {@link Kind#CONTENT}.
 *
 * @param kind meaning of the body
 * @param tool name of the called function; empty unless the kind is CALL
 * @param rest text of a header that lacks its end, without what was understood
 */
record ChannelHeader(Kind kind, Optional<String> tool, String rest) {
    /** Meaning of a body. */
    enum Kind {
        REASONING,
        CONTENT,
        CALL,
        /** A message to a recipient that is no function. */
        OTHER
    }

    private static final String ROLE = "assistant";
    private static final String FUNCTIONS = "functions.";
    private static final Pattern RECIPIENT = Pattern.compile("\\bto=([^\\s<]+)");
    private static final Pattern CHANNEL = Pattern.compile("<\\|channel\\|>\\s*([a-z]*)");
    private static final Pattern MARKUP =
            Pattern.compile(
                    "<\\|channel\\|>\\s*(analysis|commentary|final)?"
                            + "|\\bto=[^\\s<]+|<\\|constrain\\|>\\s*(json|code)?|<\\|start\\|>");

    /** Words of a header that a response may leave incomplete. */
    private static final Pattern CUT =
            Pattern.compile("(<\\|(channel|constrain)\\|>\\s*[a-z]*|\\bt(o=?)?)$");

    /**
     * Parses a header.
     *
     * @param header its text, special tokens spelled out
     */
    static ChannelHeader of(String header) {
        String text = header.startsWith(ROLE) ? header.substring(ROLE.length()) : header;
        Optional<String> recipient = Optional.empty();
        Matcher to = RECIPIENT.matcher(text);
        while (to.find()) {
            if (!to.group(1).equals("assistant")) {
                recipient = Optional.of(to.group(1));
            }
        }
        String channel = "";
        Matcher channels = CHANNEL.matcher(text);
        while (channels.find()) {
            channel = channels.group(1);
        }
        String rest = MARKUP.matcher(text).replaceAll("").stripLeading();
        boolean isCall = recipient.filter(name -> name.startsWith(FUNCTIONS)).isPresent();
        if (isCall) {
            return new ChannelHeader(
                    Kind.CALL, recipient.map(name -> name.substring(FUNCTIONS.length())), rest);
        }
        Kind plain = channel.equals("analysis") ? Kind.REASONING : Kind.CONTENT;
        boolean isOther = recipient.isPresent() && !channel.equals("final");
        return new ChannelHeader(isOther ? Kind.OTHER : plain, Optional.empty(), rest);
    }

    /** Parses a header at the end of a response, which may be cut within a word. */
    static ChannelHeader cut(String text) {
        if (ROLE.startsWith(text)) {
            return of("");
        }
        ChannelHeader shorter = of(CUT.matcher(text).replaceAll(""));
        return shorter.rest().isBlank() ? shorter : of(text);
    }
}
