package dev.varve.platform.http.metrics;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.varve.platform.engine.EngineStatus;
import dev.varve.platform.prefix.PrefixCacheStatus;
import dev.varve.platform.sequence.KvSlotUsage;
import dev.varve.platform.shard.ShardMemory;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
import java.util.Optional;

class OrcaLoadReportTest {
    private static final EngineStatus ENGINE =
            new EngineStatus(
                    new EngineStatus.Load(4096, 4, 2, 3),
                    new KvSlotUsage(1024, 256, 512),
                    new ShardMemory(1, 0, 1, 1),
                    EngineStatus.EngineCounters.NONE,
                    PrefixCacheStatus.NONE,
                    List.of());

    @ParameterizedTest
    @ValueSource(strings = {"TEXT", "text", " Text "})
    void asText(String format) {
        assertEquals(
                Optional.of(
                        "TEXT named_metrics.kv_cache_usage_perc=0.25,"
                                + "named_metrics.num_requests_waiting=2.0,"
                                + "named_metrics.num_requests_running=3.0"),
                OrcaLoadReport.of(ENGINE, format));
    }

    @Test
    void asJson() {
        assertEquals(
                Optional.of(
                        "JSON {\"named_metrics\":{\"kv_cache_usage_perc\":0.25,"
                                + "\"num_requests_waiting\":2.0,\"num_requests_running\":3.0}}"),
                OrcaLoadReport.of(ENGINE, "JSON"));
    }

    /** Field 8 of the message is a map: each entry is a message of a name and a double. */
    @Test
    void asProtobuf() {
        ByteArrayOutputStream expected = new ByteArrayOutputStream();
        entry(expected, "kv_cache_usage_perc", 0.25);
        entry(expected, "num_requests_waiting", 2);
        entry(expected, "num_requests_running", 3);

        String header = OrcaLoadReport.of(ENGINE, "BIN").orElseThrow();

        assertEquals("BIN ", header.substring(0, 4));
        assertArrayEquals(expected.toByteArray(), Base64.getDecoder().decode(header.substring(4)));
    }

    private static void entry(ByteArrayOutputStream message, String name, double value) {
        byte[] text = name.getBytes(StandardCharsets.US_ASCII);
        byte[] number =
                ByteBuffer.allocate(8).order(ByteOrder.LITTLE_ENDIAN).putDouble(value).array();
        message.writeBytes(new byte[] {0x42, (byte) (text.length + 11), 0x0a, (byte) text.length});
        message.writeBytes(text);
        message.write(0x11);
        message.writeBytes(number);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "XML", "TEXT,JSON"})
    void unknownFormatIsRefused(String format) {
        assertEquals(Optional.empty(), OrcaLoadReport.of(ENGINE, format));
    }
}
