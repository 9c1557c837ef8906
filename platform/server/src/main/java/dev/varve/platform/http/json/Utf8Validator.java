package dev.varve.platform.http.json;

import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharsetDecoder;
import java.nio.charset.CoderResult;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;

/** Checks that bytes are valid UTF-8. */
final class Utf8Validator {
    private static final int PART_CHARS = 8 << 10;

    private Utf8Validator() {}

    /** Throws 400 if a sequence is truncated, overlong, or encodes a surrogate or no code point. */
    static void check(byte[] text) {
        CharsetDecoder decoder =
                StandardCharsets.UTF_8
                        .newDecoder()
                        .onMalformedInput(CodingErrorAction.REPORT)
                        .onUnmappableCharacter(CodingErrorAction.REPORT);
        ByteBuffer bytes = ByteBuffer.wrap(text);
        CharBuffer part = CharBuffer.allocate(PART_CHARS);
        CoderResult result = CoderResult.OVERFLOW;
        while (result.isOverflow()) {
            result = decoder.decode(bytes, part.clear(), true);
        }
        if (result.isError()) {
            throw ApiException.invalid(
                    "",
                    "the request body is not valid UTF-8: a malformed sequence at byte "
                            + bytes.position());
        }
    }
}
