package dev.varve.platform.cli.chat;

import org.jline.reader.CompletingParsedLine;
import org.jline.reader.ParsedLine;
import org.jline.reader.Parser;

import java.util.List;

/**
 * Divides a line for completion: the first word, and the rest as one word, since names of files may
 * have spaces. Nothing is quoted, and every line is complete.
 */
final class ChatLineParser implements Parser {
    /**
     * A divided line.
     *
     * @param wordCursor position of the cursor in its word
     */
    private record Line(String line, int cursor, List<String> words, int wordIndex, int wordCursor)
            implements CompletingParsedLine {
        @Override
        public String word() {
            return words.get(wordIndex);
        }

        @Override
        public CharSequence escape(CharSequence candidate, boolean complete) {
            return candidate;
        }

        @Override
        public int rawWordCursor() {
            return wordCursor;
        }

        @Override
        public int rawWordLength() {
            return word().length();
        }
    }

    @Override
    public ParsedLine parse(String line, int cursor, ParseContext context) {
        int space = SlashCommand.isCommand(line) ? line.indexOf(' ') : -1;
        if (space < 0) {
            return new Line(line, cursor, List.of(line), 0, cursor);
        }
        int begin = space + 1;
        while (begin < line.length() && line.charAt(begin) == ' ') {
            begin++;
        }
        List<String> words = List.of(line.substring(0, space), line.substring(begin));
        return cursor <= space
                ? new Line(line, cursor, words, 0, cursor)
                : new Line(line, cursor, words, 1, Math.max(0, cursor - begin));
    }
}
