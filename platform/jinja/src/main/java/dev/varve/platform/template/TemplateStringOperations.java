package dev.varve.platform.template;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.function.IntPredicate;

/** Operations on strings that keep the origin of every character. */
final class TemplateStringOperations {
    private final RenderBudget budget;

    TemplateStringOperations(RenderBudget budget) {
        this.budget = budget;
    }

    static TemplateString strip(
            TemplateString string, Optional<TemplateString> chars, boolean left, boolean right) {
        String text = string.text();
        IntPredicate dropped =
                chars.<IntPredicate>map(set -> c -> set.text().indexOf(c) >= 0)
                        .orElse(PythonText::isSpace);
        int begin = 0;
        int end = text.length();
        while (left && begin < end && dropped.test(text.codePointAt(begin))) {
            begin += Character.charCount(text.codePointAt(begin));
        }
        while (right && end > begin && dropped.test(text.codePointBefore(end))) {
            end -= Character.charCount(text.codePointBefore(end));
        }
        return string.substring(begin, end);
    }

    /** Splits at a separator, or at runs of whitespace; a negative {@code max} means no limit. */
    List<Value> split(TemplateString string, Optional<TemplateString> separator, int max) {
        budget.chars(string.length());
        int limit = max < 0 ? Integer.MAX_VALUE : max;
        return separator.isPresent()
                ? splitAt(string, separator.get().text(), limit)
                : splitAtSpace(string, limit);
    }

    private List<Value> splitAt(TemplateString string, String separator, int max) {
        if (separator.isEmpty()) {
            throw new EvaluationError("split: the separator is empty");
        }
        budget.search(string.length(), separator.length());
        List<Value> parts = new ArrayList<>();
        int begin = 0;
        int found = string.text().indexOf(separator);
        while (found >= 0 && parts.size() < max) {
            budget.objects(1);
            parts.add(string.substring(begin, found));
            begin = found + separator.length();
            found = string.text().indexOf(separator, begin);
        }
        parts.add(string.substring(begin, string.length()));
        return parts;
    }

    private List<Value> splitAtSpace(TemplateString string, int max) {
        String text = string.text();
        List<Value> parts = new ArrayList<>();
        int at = PythonText.beginWithoutSpace(text);
        while (at < text.length()) {
            budget.objects(1);
            int end = at;
            while (end < text.length() && !PythonText.isSpace(text.charAt(end))) {
                end++;
            }
            if (parts.size() == max) {
                parts.add(string.substring(at, text.length()));
                return parts;
            }
            parts.add(string.substring(at, end));
            at = end;
            while (at < text.length() && PythonText.isSpace(text.charAt(at))) {
                at++;
            }
        }
        return parts;
    }

    /** Splits from the right. */
    List<Value> splitFromRight(TemplateString string, Optional<TemplateString> separator, int max) {
        if (max < 0) {
            return split(string, separator, max);
        }
        budget.chars(string.length());
        List<Value> parts = new ArrayList<>();
        int end =
                separator.isPresent() ? string.length() : PythonText.endWithoutSpace(string.text());
        boolean more = end > 0 || separator.isPresent();
        separator.ifPresent(pattern -> budget.search(string.length(), pattern.length()));
        while (more && parts.size() < max) {
            budget.objects(1);
            int[] gap =
                    separator.isPresent()
                            ? gapBefore(string.text(), separator.get().text(), end)
                            : spaceBefore(string.text(), end);
            if (gap.length == 0) {
                break;
            }
            parts.add(string.substring(gap[1], end));
            end = gap[0];
            more = separator.isPresent() || end > 0;
        }
        if (more) {
            parts.add(string.substring(0, end));
        }
        Collections.reverse(parts);
        return parts;
    }

    private static int[] gapBefore(String text, String separator, int end) {
        if (separator.isEmpty()) {
            throw new EvaluationError("split: the separator is empty");
        }
        int found = text.lastIndexOf(separator, end - separator.length());
        return found < 0 ? new int[0] : new int[] {found, found + separator.length()};
    }

    private static int[] spaceBefore(String text, int end) {
        int wordBegin = end;
        while (wordBegin > 0 && !PythonText.isSpace(text.charAt(wordBegin - 1))) {
            wordBegin--;
        }
        int gapBegin = wordBegin;
        while (gapBegin > 0 && PythonText.isSpace(text.charAt(gapBegin - 1))) {
            gapBegin--;
        }
        return wordBegin == 0 ? new int[0] : new int[] {gapBegin, wordBegin};
    }

    List<Value> splitLines(TemplateString string, boolean keepEnds) {
        budget.chars(string.length());
        String text = string.text();
        List<Value> lines = new ArrayList<>();
        int begin = 0;
        for (int i = 0; i < text.length(); i++) {
            if (isLineEnd(text.charAt(i))) {
                budget.objects(1);
                int next = text.startsWith("\r\n", i) ? i + 2 : i + 1;
                lines.add(string.substring(begin, keepEnds ? next : i));
                begin = next;
                i = next - 1;
            }
        }
        if (begin < text.length()) {
            lines.add(string.substring(begin, text.length()));
        }
        return lines;
    }

    private static boolean isLineEnd(char c) {
        return c >= '\n' && c <= '\r'
                || c >= 0x1c && c <= 0x1e
                || c == 0x85
                || c == 0x2028
                || c == 0x2029;
    }

    /** Replaces up to {@code max} occurrences; a negative number means all. */
    TemplateString replace(
            TemplateString string, TemplateString old, TemplateString replacement, int max) {
        TemplateString.Builder out = budget.builder();
        int limit = max < 0 ? Integer.MAX_VALUE : max;
        int copied = 0;
        budget.search(string.length(), old.length());
        int found = string.text().indexOf(old.text());
        for (int count = 0; found >= 0 && count < limit; count++) {
            budget.step();
            out.append(string, copied, found).append(replacement);
            copied = found + old.length();
            int from = copied;
            if (old.isEmpty()) {
                if (found == string.length()) {
                    break;
                }
                from = found + Character.charCount(string.text().codePointAt(found));
            }
            found = string.text().indexOf(old.text(), from);
        }
        out.append(string, copied, string.length());
        return budget.counted(out.build());
    }

    TemplateString repeat(TemplateString string, int times) {
        if (times <= 0 || string.isEmpty()) {
            return TemplateString.EMPTY;
        }
        budget.chars((long) string.length() * times);
        budget.steps(times);
        TemplateString.Builder out = budget.builder();
        for (int i = 0; i < times; i++) {
            out.append(string);
        }
        return out.build();
    }

    TemplateString concat(TemplateString left, TemplateString right) {
        if (left.isEmpty() || right.isEmpty()) {
            return left.isEmpty() ? right : left;
        }
        return budget.counted(budget.builder().append(left).append(right).build());
    }

    TemplateString join(List<TemplateString> parts, TemplateString separator) {
        TemplateString.Builder out = budget.builder();
        for (int i = 0; i < parts.size(); i++) {
            budget.step();
            out.append(i == 0 ? TemplateString.EMPTY : separator).append(parts.get(i));
        }
        return budget.counted(out.build());
    }

    /** Returns the string between {@code left} and {@code right} copies of a fill character. */
    TemplateString padded(TemplateString string, TemplateString fill, long left, long right) {
        budget.chars(Math.max(0, left) + Math.max(0, right) + string.length());
        return budget.builder()
                .append(repeat(fill, (int) Math.max(0, left)))
                .append(string)
                .append(repeat(fill, (int) Math.max(0, right)))
                .build();
    }

    /** First character upper, the rest lower. */
    TemplateString capitalize(TemplateString string) {
        if (string.isEmpty()) {
            return string;
        }
        int first = Character.charCount(string.text().codePointAt(0));
        return concat(
                titleCase(string.substring(0, first)),
                string.substring(first, string.length()).lower());
    }

    private TemplateString titleCase(TemplateString letter) {
        TemplateString upper = letter.upper();
        int c = Character.toTitleCase(letter.text().codePointAt(0));
        if (upper.codePointCount() > 1) {
            int first = Character.charCount(upper.text().codePointAt(0));
            return concat(
                    upper.substring(0, first), upper.substring(first, upper.length()).lower());
        }
        return TemplateString.of(Character.toString(c), letter.isWhollyTrusted());
    }

    /**
     * Capitalizes the first character and every one that follows a character for which {@code
     * endsWord} holds.
     */
    TemplateString capitalizeWords(TemplateString string, IntPredicate endsWord) {
        TemplateString.Builder out = budget.builder();
        TemplateString lower = string.lower();
        boolean aligned = lower.length() == string.length();
        boolean start = true;
        for (int i = 0; i < string.length(); ) {
            budget.step();
            int c = string.text().codePointAt(i);
            int next = i + Character.charCount(c);
            TemplateString letter = string.substring(i, next);
            out.append(
                    start
                            ? titleCase(letter)
                            : aligned ? lower.substring(i, next) : letter.lower());
            start = endsWord.test(c);
            i = next;
        }
        return budget.counted(out.build());
    }
}
