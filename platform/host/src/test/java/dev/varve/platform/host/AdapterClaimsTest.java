package dev.varve.platform.host;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.api.VarveException;
import dev.varve.api.backend.DeviceInfo;
import dev.varve.api.gguf.GgufFile;
import dev.varve.api.model.LayerRange;
import dev.varve.platform.placement.DeviceReference;
import dev.varve.platform.placement.Placement;
import dev.varve.platform.runtime.MemoryClaims;
import dev.varve.platform.shard.OpenedModel;
import dev.varve.platform.shard.PlainModel;
import dev.varve.platform.shard.lora.LoraAdapter;
import dev.varve.testkit.GgufValue;
import dev.varve.testkit.GgufWriter;
import dev.varve.testkit.TensorData;
import dev.varve.testkit.TensorType;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;

class AdapterClaimsTest {
    private static final DeviceReference CPU = DeviceReference.parse("cpu:0");
    private static final DeviceReference CARD = DeviceReference.parse("cuda:0");

    /** Bytes of the matrices of a layer: 8 columns and 4 rows of rank 2, in F32. */
    private static final long LAYER = (8 * 2 + 2 * 4) * Float.BYTES;

    @TempDir Path folder;

    private final MemoryClaims ledger = new MemoryClaims();
    private OpenedModel model;
    private LoraAdapter adapter;

    @BeforeEach
    void write() throws IOException {
        GgufFile file = GgufFile.open(PlainModel.attentionOnly(2, 64).write(folder));
        model = new OpenedModel(file, PlainModel.read(file));
        GgufWriter writer =
                new GgufWriter()
                        .put("general.type", GgufValue.of("adapter"))
                        .put("general.architecture", GgufValue.of(PlainModel.ARCHITECTURE))
                        .put("adapter.type", GgufValue.of("lora"));
        for (int layer = 0; layer < 2; layer++) {
            String query = "blk." + layer + ".attn_q.weight";
            matrix(writer, query + ".lora_a", List.of(8L, 2L));
            matrix(writer, query + ".lora_b", List.of(2L, 4L));
        }
        Path target = folder.resolve("lora.gguf");
        writer.write(target);
        adapter = LoraAdapter.of(GgufFile.open(target), 1);
    }

    private static void matrix(GgufWriter writer, String name, List<Long> shape) {
        writer.tensor(name, TensorType.F32, shape, TensorData.constant(1));
    }

    private static DeviceInfo info(DeviceReference device) {
        return new DeviceInfo(
                device.device(), "", 1000, 1000, device.backend().equals(CPU.backend()));
    }

    private long left(DeviceReference device) {
        return ledger.left(device, info(device)).memoryFreeBytes();
    }

    private AdapterClaims claims(int replicas, DeviceReference first, DeviceReference second) {
        Placement placement =
                Placement.of(
                        List.of(first, second),
                        List.of(new LayerRange(0, 1), new LayerRange(1, 2)));
        return new AdapterClaims(
                model,
                placement,
                replicas,
                Optional.of(ledger),
                device ->
                        device.toString().contains("@grpc")
                                ? Optional.empty()
                                : Optional.of(info(device)));
    }

    @Test
    void anAdapterHoldsItsMemoryOnEachDeviceUntilItIsReleased() {
        try (AdapterClaims claims = claims(1, CPU, CARD)) {
            claims.claim(0, adapter);
            claims.claim(1, adapter);
            assertEquals(1000 - 2 * LAYER, left(CPU));
            assertEquals(1000 - 2 * LAYER, left(CARD));

            claims.release(0);
            claims.release(0);
            assertEquals(1000 - LAYER, left(CPU));
        }
        assertEquals(1000, left(CPU));
        assertEquals(1000, left(CARD));
    }

    @Test
    void replicasInOtherProcessesHaveCopies() {
        try (AdapterClaims claims = claims(3, CARD, DeviceReference.parse("cpu:0@process"))) {
            claims.claim(0, adapter);

            assertEquals(1000 - LAYER, left(CARD));
            assertEquals(1000 - 3 * LAYER, left(CPU));
        }
    }

    @Test
    void anAdapterThatNeedsClaimedMemoryIsRefusedAndHoldsNothing() {
        ledger.claim(Map.of(CARD, 1000 - LAYER + 1), device -> ledger.left(device, info(device)));
        try (AdapterClaims claims = claims(1, CPU, CARD)) {
            VarveException refused =
                    assertThrows(VarveException.class, () -> claims.claim(0, adapter));

            assertEquals(VarveException.Kind.OUT_OF_MEMORY, refused.kind());
            assertTrue(
                    refused.getMessage()
                            .startsWith(
                                    "lora.gguf: its matrices need 96 bytes on cuda:0, found 95"),
                    refused.getMessage());
            assertEquals(1000, left(CPU));
        }
    }

    @Test
    void memoryOfOtherHostsIsNotClaimed() {
        try (AdapterClaims claims = claims(1, CPU, DeviceReference.parse("cpu:0@grpc:box:7700"))) {
            claims.claim(0, adapter);

            assertEquals(1000 - LAYER, left(CPU));
        }
    }
}
