package dev.varve.platform.grammar.pattern;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;

import dev.varve.platform.grammar.regex.LexState;
import dev.varve.platform.grammar.regex.Lexer;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.ByteArrayOutputStream;
import java.net.IDN;
import java.net.InetAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.LocalDate;
import java.time.OffsetDateTime;
import java.time.OffsetTime;
import java.util.Locale;
import java.util.Random;
import java.util.UUID;

/** Random texts of each format, read by what Java has for it. */
class FormatSamplesTest {
    private static final int SAMPLES = 200 * Integer.getInteger("varve.test.soak", 1);

    @ParameterizedTest
    @ValueSource(
            strings = {
                "date",
                "time",
                "date-time",
                "idn-hostname",
                "ipv4",
                "ipv6",
                "uri",
                "uri-reference",
                "iri",
                "iri-reference",
                "uuid"
            })
    void formatSamplesAreValidForJava(String format) {
        Reading reading = new Reading();
        Formats formats = new Formats(new TextRegexBuilder(reading.store(), StringEscaping.PLAIN));
        Lexer lexer = reading.lexer(formats.of(format).orElseThrow());
        for (int seed = 0; seed < SAMPLES; seed++) {
            String sample = sample(lexer, new Random(seed));
            assertDoesNotThrow(() -> read(format, sample), format + " " + sample);
        }
    }

    /** Goes on by any byte that may follow, and ends at a chance where it may. */
    private static String sample(Lexer lexer, Random random) {
        ByteArrayOutputStream text = new ByteArrayOutputStream();
        LexState state = lexer.start(0);
        while (state.canContinue() && (state.complete().length == 0 || random.nextInt(30) > 0)) {
            int value = random.nextInt(256);
            LexState next = lexer.next(state, lexer.classes().of(value));
            if (!next.isDead()) {
                text.write(value);
                state = next;
            }
        }
        return text.toString(StandardCharsets.UTF_8);
    }

    private static void read(String format, String text) {
        // Java knows no leap seconds, and letters in capitals only.
        String plain = text.replace(":60", ":59").toUpperCase(Locale.ROOT);
        switch (format) {
            case "date" -> LocalDate.parse(text);
            case "time" -> OffsetTime.parse(whole(plain));
            case "date-time" -> OffsetDateTime.parse(whole(plain));
            case "ipv4", "ipv6" -> InetAddress.ofLiteral(text);
            case "uuid" -> UUID.fromString(text);
            case "idn-hostname" ->
                    IDN.toASCII(text, IDN.ALLOW_UNASSIGNED | IDN.USE_STD3_ASCII_RULES);
            default -> URI.create(text);
        }
    }

    /** Offsets beyond 18 hours are more than Java has. */
    private static String whole(String time) {
        return time.replaceFirst("[+-](?:1[89]|2\\d):\\d\\d$", "Z");
    }
}
