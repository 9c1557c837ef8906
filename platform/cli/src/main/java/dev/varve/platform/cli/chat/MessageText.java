package dev.varve.platform.cli.chat;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The syntax of messages with several lines: a line that ends with a backslash continues in the
 * next one, and three double quotes enclose a block, in which a backslash has no meaning. A block
 * may also be the argument of a command.
 */
final class MessageText {
    private static final String QUOTES = "\"\"\"";

    private static final Pattern BLOCK = Pattern.compile("(\\s*(?:/\\S+\\s+)?)\"\"\"");

    private MessageText() {}

    /** Returns whether the last line of a text continues in the next one. */
    static boolean endsWithBackslash(CharSequence text) {
        return !text.isEmpty() && text.charAt(text.length() - 1) == '\\';
    }

    /** Returns whether a block was opened and not closed. */
    static boolean isOpenBlock(CharSequence text) {
        Matcher block = BLOCK.matcher(text);
        return block.lookingAt() && !endsBlock(text.subSequence(block.end(), text.length()));
    }

    /** Returns whether a further line of an open block closes it. */
    static boolean endsBlock(CharSequence line) {
        return line.toString().stripTrailing().endsWith(QUOTES);
    }

    /** Returns the text of a complete message, without the quotes around a block. */
    static String unquote(String text) {
        Matcher block = BLOCK.matcher(text);
        if (!block.lookingAt()) {
            return text.strip();
        }
        String rest = text.substring(block.end()).stripTrailing();
        String inside = rest.endsWith(QUOTES) ? rest.substring(0, rest.length() - 3) : rest;
        return block.group(1).stripLeading() + inside.strip();
    }

    /** Returns whether a complete text is a command: a block in quotes is a message. */
    static boolean isCommand(String text) {
        return SlashCommand.isCommand(text.strip());
    }
}
