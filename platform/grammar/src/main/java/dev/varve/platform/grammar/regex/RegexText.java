package dev.varve.platform.grammar.regex;

import java.util.Arrays;
import java.util.stream.Collectors;

/** Readable notation of expressions, for messages and debugging. */
final class RegexText {
    private static final int MOST = 2000;

    private RegexText() {}

    static String of(Regex regex) {
        StringBuilder text = new StringBuilder();
        write(regex, text);
        return text.toString();
    }

    private static void write(Regex regex, StringBuilder text) {
        if (text.length() > MOST) {
            text.append('…');
            return;
        }
        switch (regex.kind) {
            case NOTHING -> text.append("∅");
            case EMPTY -> text.append("ε");
            case BYTES -> writeBytes(regex.bytes, text);
            case CONCAT -> writeAll(regex, "", text);
            case OR -> writeAll(regex, "|", text);
            case AND -> writeAll(regex, "&", text);
            case NOT -> writeAll(regex, "", text.append('~'));
            case LOOP -> text.append("loop ").append(regex.id);
            case MACHINE -> text.append(regex.machine);
            case REPEAT -> {
                writeAll(regex, "", text);
                text.append('{').append(regex.least).append(',');
                text.append(regex.most == Regex.UNLIMITED ? "" : regex.most).append('}');
            }
        }
    }

    private static void writeAll(Regex regex, String between, StringBuilder text) {
        text.append('(');
        boolean first = true;
        for (Regex part : regex.parts) {
            text.append(first ? "" : between);
            write(part, text);
            first = false;
        }
        text.append(')');
    }

    private static void writeBytes(ByteSet bytes, StringBuilder text) {
        int[] members = bytes.stream().toArray();
        if (members.length == 1) {
            text.append(letter(members[0]));
        } else if (members.length > 128) {
            text.append("[^").append(letters(bytes.complement().stream().toArray())).append(']');
        } else {
            text.append('[').append(letters(members)).append(']');
        }
    }

    private static String letters(int[] members) {
        return Arrays.stream(members).mapToObj(RegexText::letter).collect(Collectors.joining());
    }

    private static String letter(int value) {
        return value > ' ' && value < 0x7f
                ? String.valueOf((char) value)
                : "\\x" + Integer.toHexString(value);
    }
}
