package dev.varve.bench.http.stream;

import dev.varve.platform.log.ControlCharacters;

/** The start of what a server wrote, for messages. */
public final class Excerpt {
    private static final int MOST = 200;

    private Excerpt() {}

    /** At most {@value #MOST} characters, on one line. */
    public static String of(String text) {
        String line = ControlCharacters.replace(text.strip().replaceAll("\\s+", " "), '?');
        if (line.isEmpty()) {
            return "nothing";
        }
        return line.length() <= MOST ? line : line.substring(0, MOST) + "…";
    }
}
