package dev.varve.platform.shard.local;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.api.VarveException;
import dev.varve.api.backend.ComputeDevice;
import dev.varve.api.backend.DeviceInfo;
import dev.varve.api.model.LayerRange;
import dev.varve.api.model.TensorSelection;
import dev.varve.platform.placement.ExpertModel;
import dev.varve.platform.shard.TensorPlacement;

import org.junit.jupiter.api.Test;

import java.lang.reflect.Proxy;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

class ShardDevicesTest {
    private static final ComputeDevice CPU = device("cpu:0");
    private static final ComputeDevice CUDA = device("cuda:0");
    private static final TensorPlacement ON_CPU = new TensorPlacement(Map.of("a", "cpu:0"));
    private static final TensorPlacement ON_CUDA = new TensorPlacement(Map.of("a", "cuda:0"));

    /** A device that has only a name and a lock. */
    private static ComputeDevice device(String name) {
        DeviceInfo info = new DeviceInfo(name, "", 1, 1, false);
        return (ComputeDevice)
                Proxy.newProxyInstance(
                        ShardDevicesTest.class.getClassLoader(),
                        new Class<?>[] {ComputeDevice.class},
                        (proxy, method, arguments) ->
                                switch (method.getName()) {
                                    case "info" -> info;
                                    case "lock" -> info;
                                    case "equals" -> proxy == arguments[0];
                                    case "hashCode" -> name.hashCode();
                                    default -> throw new UnsupportedOperationException();
                                });
    }

    private static ComputeDevice named(String name) {
        return name.equals("cpu:0") ? CPU : CUDA;
    }

    @Test
    void weightsAreOnTheirDevice() {
        ShardDevices devices = ShardDevices.of(CUDA, ON_CPU, ShardDevicesTest::named);

        assertSame(CPU, devices.of("a"));
        assertSame(CUDA, devices.of("b"));
        assertEquals(List.of(CUDA, CPU), devices.all());
    }

    /** Operators of other weights would read the memory of another device. */
    @Test
    void onlyExpertsWithTheirBiasesMayBeElsewhere() {
        TensorSelection selection = new ExpertModel(2, 1).tensors(new LayerRange(0, 2));
        String down = "blk.1.ffn_down_exps.";

        onProcessor(down + "weight", down + "bias").requireExperts(selection);
        for (ShardDevices refused :
                List.of(
                        onProcessor("blk.0.attn_q.weight"),
                        onProcessor(down + "weight"),
                        onProcessor(down + "bias"))) {
            VarveException error =
                    assertThrows(VarveException.class, () -> refused.requireExperts(selection));
            assertTrue(error.getMessage().contains(": expected on "), error.getMessage());
        }
    }

    private static ShardDevices onProcessor(String... tensors) {
        Map<String, ComputeDevice> elsewhere = new HashMap<>();
        for (String tensor : tensors) {
            elsewhere.put(tensor, CPU);
        }
        return new ShardDevices(CUDA, elsewhere);
    }

    @Test
    void ownDeviceIsNotAnother() {
        assertTrue(ShardDevices.of(CUDA, ON_CUDA, ShardDevicesTest::named).others().isEmpty());
    }

    /** Two shards with each other's devices would wait for each other. */
    @Test
    void everyShardAcquiresLocksInTheSameOrder() {
        ShardDevices one = ShardDevices.of(CUDA, ON_CPU, ShardDevicesTest::named);
        ShardDevices other = ShardDevices.of(CPU, ON_CUDA, ShardDevicesTest::named);

        assertEquals(2, one.locks().size());
        assertEquals(one.locks(), other.locks());
    }
}
