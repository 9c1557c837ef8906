package dev.varve.platform.template;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/**
 * A string that records which of its characters the template wrote. Equality and hash use the text
 * alone.
 *
 * <p>Indices are UTF-16 units unless a name says code points; Python counts code points, see {@link
 * #codePoints()}.
 */
final class TemplateString implements Value {
    static final TemplateString EMPTY = new TemplateString("", new int[0]);

    private final String text;

    /** Trusted ranges as pairs of begin and end, ascending, disjoint and not touching. */
    private final int[] trusted;

    private TemplateString(String text, int[] trusted) {
        this.text = text;
        this.trusted = trusted;
    }

    static TemplateString of(String text, boolean trusted) {
        if (text.isEmpty()) {
            return EMPTY;
        }
        return new TemplateString(text, trusted ? new int[] {0, text.length()} : new int[0]);
    }

    static TemplateString trusted(String text) {
        return of(text, true);
    }

    static TemplateString untrusted(String text) {
        return of(text, false);
    }

    static TemplateString of(RenderedPrompt prompt) {
        Builder builder = new Builder(Integer.MAX_VALUE);
        prompt.spans().forEach(span -> builder.append(span.text(), span.trusted()));
        return builder.build();
    }

    String text() {
        return text;
    }

    int length() {
        return text.length();
    }

    boolean isEmpty() {
        return text.isEmpty();
    }

    /** Returns whether every character is trusted; true for the empty string. */
    boolean isWhollyTrusted() {
        return text.isEmpty()
                || trusted.length == 2 && trusted[0] == 0 && trusted[1] == text.length();
    }

    boolean isTrusted(int index) {
        int at = Arrays.binarySearch(trusted, index);
        // A begin belongs to its range, an end does not; between the two the insertion point is
        // odd.
        return at >= 0 ? at % 2 == 0 : (-at - 1) % 2 == 1;
    }

    TemplateString substring(int begin, int end) {
        if (begin >= end) {
            return EMPTY;
        }
        if (begin == 0 && end == text.length()) {
            return this;
        }
        int[] ranges = new int[trusted.length];
        int count = 0;
        for (int i = firstRangeEndingAfter(begin); i < trusted.length && trusted[i] < end; i += 2) {
            ranges[count++] = Math.max(trusted[i], begin) - begin;
            ranges[count++] = Math.min(trusted[i + 1], end) - begin;
        }
        return new TemplateString(text.substring(begin, end), Arrays.copyOf(ranges, count));
    }

    private int firstRangeEndingAfter(int begin) {
        int at = Arrays.binarySearch(trusted, begin);
        int insertion = at >= 0 ? at : -at - 1;
        // A match at an end skips that range, a match at a begin starts there, and a position in
        // between steps back to its begin.
        return at >= 0 ? insertion + insertion % 2 : insertion - insertion % 2;
    }

    /** Returns the code points, one string each. */
    List<TemplateString> codePoints(RenderBudget budget) {
        budget.objects(text.length());
        List<TemplateString> points = new ArrayList<>();
        for (int i = 0; i < text.length(); ) {
            int next = i + Character.charCount(text.codePointAt(i));
            points.add(substring(i, next));
            i = next;
        }
        return points;
    }

    int codePointCount() {
        return text.codePointCount(0, text.length());
    }

    /**
     * Returns the UTF-16 index of a code point, which must lie in {@code [0, codePointCount()]}.
     */
    int indexOfCodePoint(int codePoint) {
        return text.offsetByCodePoints(0, codePoint);
    }

    TemplateString upper() {
        return mapped(text.toUpperCase(Locale.ROOT), true);
    }

    TemplateString lower() {
        return mapped(text.toLowerCase(Locale.ROOT), false);
    }

    /**
     * Case changes depend on neighbours (final sigma), but the length of a range does not, so
     * ranges stay valid.
     */
    private TemplateString mapped(String result, boolean upper) {
        if (trusted.length == 0 || isWhollyTrusted()) {
            return of(result, trusted.length > 0);
        }
        Builder builder = new Builder(Integer.MAX_VALUE);
        int from = 0;
        for (PromptSpan span : spans()) {
            String changed =
                    upper
                            ? span.text().toUpperCase(Locale.ROOT)
                            : span.text().toLowerCase(Locale.ROOT);
            int to = from + changed.length();
            if (to > result.length()) {
                return untrusted(result);
            }
            builder.append(result.substring(from, to), span.trusted());
            from = to;
        }
        return from == result.length() ? builder.build() : untrusted(result);
    }

    List<PromptSpan> spans() {
        List<PromptSpan> spans = new ArrayList<>();
        int at = 0;
        for (int i = 0; i < trusted.length; i += 2) {
            if (trusted[i] > at) {
                spans.add(PromptSpan.ofInput(text.substring(at, trusted[i])));
            }
            spans.add(PromptSpan.ofTemplate(text.substring(trusted[i], trusted[i + 1])));
            at = trusted[i + 1];
        }
        if (at < text.length()) {
            spans.add(PromptSpan.ofInput(text.substring(at)));
        }
        return spans;
    }

    @Override
    public String typeName() {
        return "str";
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof TemplateString that && text.equals(that.text);
    }

    @Override
    public int hashCode() {
        return text.hashCode();
    }

    @Override
    public String toString() {
        return text;
    }

    /** Collects text with its origin, up to a limit in UTF-16 units. */
    static final class Builder {
        private final StringBuilder text = new StringBuilder();
        private final int limit;
        private int[] trusted = new int[8];
        private int used;

        Builder(int limit) {
            this.limit = limit;
        }

        int length() {
            return text.length();
        }

        Builder append(TemplateString part) {
            return append(part, 0, part.length());
        }

        Builder append(TemplateString part, int begin, int end) {
            check((long) end - begin);
            int shift = text.length() - begin;
            text.append(part.text, begin, end);
            for (int i = part.firstRangeEndingAfter(begin);
                    i < part.trusted.length && part.trusted[i] < end;
                    i += 2) {
                addRange(
                        Math.max(part.trusted[i], begin) + shift,
                        Math.min(part.trusted[i + 1], end) + shift);
            }
            return this;
        }

        Builder append(String part, boolean isTrusted) {
            check(part.length());
            text.append(part);
            if (isTrusted && !part.isEmpty()) {
                addRange(text.length() - part.length(), text.length());
            }
            return this;
        }

        private void check(long added) {
            if (text.length() + added > limit) {
                throw new EvaluationError(
                        "a string is longer than the limit of " + limit + " characters");
            }
        }

        private void addRange(int begin, int end) {
            if (used > 0 && trusted[used - 1] == begin) {
                trusted[used - 1] = end;
                return;
            }
            if (used == trusted.length) {
                trusted = Arrays.copyOf(trusted, used * 2);
            }
            trusted[used++] = begin;
            trusted[used++] = end;
        }

        TemplateString build() {
            return text.isEmpty()
                    ? EMPTY
                    : new TemplateString(text.toString(), Arrays.copyOf(trusted, used));
        }
    }
}
