package dev.varve.bench.kill;

import dev.varve.platform.store.WriteResult;

import java.io.IOException;
import java.nio.file.Path;

/** Writes numbered objects until it is killed, and prints the number of each that it has stored. */
final class KilledWriter {
    private KilledWriter() {}

    /** Arguments: the folder, the number of the first object. */
    public static void main(String[] arguments) throws IOException {
        try (NumberedObjects objects = NumberedObjects.open(Path.of(arguments[0]))) {
            int number = Integer.parseInt(arguments[1]);
            while (number < Integer.MAX_VALUE - NumberedObjects.CHAIN) {
                WriteResult result = objects.write(number);
                System.out.println(number + " " + result);
                number = result.isStored() ? number + 1 : nextChain(number);
            }
        }
    }

    /** The parents of the rest of this chain are missing. */
    private static int nextChain(int number) {
        return (number / NumberedObjects.CHAIN + 1) * NumberedObjects.CHAIN;
    }
}
