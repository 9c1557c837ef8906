package dev.varve.api.model;

/**
 * Use of a weight by a shard; decides where the weight may be placed (a repacked matrix does not
 * support row lookup).
 *
 * <p>Grows: later versions may add to it, and existing parts stay.
 */
public enum TensorUse {
    /** First operand of a matrix product. */
    MATMUL,
    /** First operand of a matrix product chosen per token among experts. */
    EXPERT_MATMUL,
    /** Table whose rows are looked up by token id. */
    ROW_LOOKUP,
    /**
     * Table whose rows are looked up by numbers that a graph computes: it must be on the device.
     */
    COMPUTED_LOOKUP,
    /** Operand of an element-wise operator: norms, biases, scales. */
    ELEMENTWISE,
    /** Kernel of the causal convolution. */
    CONVOLUTION,
    /** Kernel of patches that do not overlap; a graph reshapes it to a matrix. */
    PATCH_KERNEL
}
