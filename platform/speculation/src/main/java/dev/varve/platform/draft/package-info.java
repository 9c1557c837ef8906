/**
 * DFlash draft models and their successors, DSpark and DFlash2: small networks that draft a block
 * of tokens at once from hidden states of the target model. A file is read and checked against the
 * target before anything is loaded; the network then computes on a device of this process.
 *
 * @see <a href="https://arxiv.org/abs/2602.06036">DFlash: Block Diffusion for Flash Speculative
 *     Decoding</a>
 */
package dev.varve.platform.draft;
