/**
 * What every plugin must do, as tests: one abstract class per SPI, which the plugin's own test
 * extends with a provider and what it needs. JUnit 5 runs them.
 *
 * <pre>{@code
 * class AcmeContractTest extends ModelFamilyContract {
 *     @Override
 *     protected ModelFamilyProvider provider() {
 *         return new AcmeFamily();
 *     }
 *
 *     @Override
 *     protected List<Path> models(Path folder) {
 *         return List.of(Path.of("models/acme-tiny.gguf"));
 *     }
 * }
 * }</pre>
 *
 * <p>What needs ggml's libraries looks for them in the folder that the system property {@value
 * dev.varve.contracts.GgmlFolder#PROPERTY} names, and is skipped with that reason where it is not
 * set. A device that is not there skips what needs it with the backend's own reason. A skipped test
 * is never a passed one.
 */
package dev.varve.contracts;
