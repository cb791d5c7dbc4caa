module {
  aie.device(npu1_1col) {
    %shim = aie.tile(0, 0)
    %core2 = aie.tile(0, 2)
    %core3 = aie.tile(0, 3)
    %in_cons_buff_0 = aie.buffer(%core2) {address = 1024 : i32, mem_bank = 0 : i32, sym_name = "in_cons_buff_0"} : memref<1024xi32>
    %in_cons_buff_1 = aie.buffer(%core2) {address = 5120 : i32, mem_bank = 0 : i32, sym_name = "in_cons_buff_1"} : memref<1024xi32>
    %mid_buff_0 = aie.buffer(%core2) {address = 16384 : i32, mem_bank = 1 : i32, sym_name = "mid_buff_0"} : memref<1024xi32>
    %mid_buff_1 = aie.buffer(%core2) {address = 32768 : i32, mem_bank = 2 : i32, sym_name = "mid_buff_1"} : memref<1024xi32>
    %in_cons_prod_lock = aie.lock(%core2, 0) {init = 2 : i32, sym_name = "in_cons_prod_lock"}
    %in_cons_cons_lock = aie.lock(%core2, 1) {init = 0 : i32, sym_name = "in_cons_cons_lock"}
    %mid_prod_lock = aie.lock(%core2, 2) {init = 2 : i32, sym_name = "mid_prod_lock"}
    %mid_cons_lock = aie.lock(%core2, 3) {init = 0 : i32, sym_name = "mid_cons_lock"}
    %mid_cons_buff_0 = aie.buffer(%core3) {address = 1024 : i32, mem_bank = 0 : i32, sym_name = "mid_cons_buff_0"} : memref<1024xi32>
    %mid_cons_buff_1 = aie.buffer(%core3) {address = 16384 : i32, mem_bank = 1 : i32, sym_name = "mid_cons_buff_1"} : memref<1024xi32>
    %out_buff_0 = aie.buffer(%core3) {address = 32768 : i32, mem_bank = 2 : i32, sym_name = "out_buff_0"} : memref<1024xi32>
    %out_buff_1 = aie.buffer(%core3) {address = 49152 : i32, mem_bank = 3 : i32, sym_name = "out_buff_1"} : memref<1024xi32>
    %mid_cons_prod_lock = aie.lock(%core3, 0) {init = 2 : i32, sym_name = "mid_cons_prod_lock"}
    %mid_cons_cons_lock = aie.lock(%core3, 1) {init = 0 : i32, sym_name = "mid_cons_cons_lock"}
    %out_prod_lock = aie.lock(%core3, 2) {init = 2 : i32, sym_name = "out_prod_lock"}
    %out_cons_lock = aie.lock(%core3, 3) {init = 0 : i32, sym_name = "out_cons_lock"}
    aie.flow(%shim, DMA : 0, %core2, DMA : 0)
    aie.flow(%core2, DMA : 0, %core3, DMA : 0)
    aie.flow(%core3, DMA : 0, %shim, DMA : 0)
    func.func private @kernel(memref<1024xi32>, memref<1024xi32>)
    %core_0_2 = aie.core(%core2) {
      %c0 = arith.constant 0 : index
      %c2 = arith.constant 2 : index
      %last = arith.constant 9223372036854775806 : index
      scf.for %i = %c0 to %last step %c2 {
        aie.use_lock(%in_cons_cons_lock, AcquireGreaterEqual, 1)
        aie.use_lock(%mid_prod_lock, AcquireGreaterEqual, 1)
        func.call @kernel(%in_cons_buff_0, %mid_buff_0) : (memref<1024xi32>, memref<1024xi32>) -> ()
        aie.use_lock(%in_cons_prod_lock, Release, 1)
        aie.use_lock(%mid_cons_lock, Release, 1)
        aie.use_lock(%in_cons_cons_lock, AcquireGreaterEqual, 1)
        aie.use_lock(%mid_prod_lock, AcquireGreaterEqual, 1)
        func.call @kernel(%in_cons_buff_1, %mid_buff_1) : (memref<1024xi32>, memref<1024xi32>) -> ()
        aie.use_lock(%in_cons_prod_lock, Release, 1)
        aie.use_lock(%mid_cons_lock, Release, 1)
      }
      aie.end
    } {link_with = "kernel.o", stack_size = 1024 : i32}
    %mem_0_2 = aie.mem(%core2) {
      %0 = aie.dma_start(S2MM, 0, ^bb1, ^bb3)
    ^bb1:
      aie.use_lock(%in_cons_prod_lock, AcquireGreaterEqual, 1)
      aie.dma_bd(%in_cons_buff_0 : memref<1024xi32>, 0, 1024) {bd_id = 0 : i32, next_bd_id = 1 : i32}
      aie.use_lock(%in_cons_cons_lock, Release, 1)
      aie.next_bd ^bb2
    ^bb2:
      aie.use_lock(%in_cons_prod_lock, AcquireGreaterEqual, 1)
      aie.dma_bd(%in_cons_buff_1 : memref<1024xi32>, 0, 1024) {bd_id = 1 : i32, next_bd_id = 0 : i32}
      aie.use_lock(%in_cons_cons_lock, Release, 1)
      aie.next_bd ^bb1
    ^bb3:
      %1 = aie.dma_start(MM2S, 0, ^bb4, ^bb6)
    ^bb4:
      aie.use_lock(%mid_cons_lock, AcquireGreaterEqual, 1)
      aie.dma_bd(%mid_buff_0 : memref<1024xi32>, 0, 1024) {bd_id = 2 : i32, next_bd_id = 3 : i32}
      aie.use_lock(%mid_prod_lock, Release, 1)
      aie.next_bd ^bb5
    ^bb5:
      aie.use_lock(%mid_cons_lock, AcquireGreaterEqual, 1)
      aie.dma_bd(%mid_buff_1 : memref<1024xi32>, 0, 1024) {bd_id = 3 : i32, next_bd_id = 2 : i32}
      aie.use_lock(%mid_prod_lock, Release, 1)
      aie.next_bd ^bb4
    ^bb6:
      aie.end
    }
    %core_0_3 = aie.core(%core3) {
      %c0 = arith.constant 0 : index
      %c2 = arith.constant 2 : index
      %last = arith.constant 9223372036854775806 : index
      scf.for %i = %c0 to %last step %c2 {
        aie.use_lock(%mid_cons_cons_lock, AcquireGreaterEqual, 1)
        aie.use_lock(%out_prod_lock, AcquireGreaterEqual, 1)
        func.call @kernel(%mid_cons_buff_0, %out_buff_0) : (memref<1024xi32>, memref<1024xi32>) -> ()
        aie.use_lock(%mid_cons_prod_lock, Release, 1)
        aie.use_lock(%out_cons_lock, Release, 1)
        aie.use_lock(%mid_cons_cons_lock, AcquireGreaterEqual, 1)
        aie.use_lock(%out_prod_lock, AcquireGreaterEqual, 1)
        func.call @kernel(%mid_cons_buff_1, %out_buff_1) : (memref<1024xi32>, memref<1024xi32>) -> ()
        aie.use_lock(%mid_cons_prod_lock, Release, 1)
        aie.use_lock(%out_cons_lock, Release, 1)
      }
      aie.end
    } {link_with = "kernel.o", stack_size = 1024 : i32}
    %mem_0_3 = aie.mem(%core3) {
      %0 = aie.dma_start(S2MM, 0, ^bb1, ^bb3)
    ^bb1:
      aie.use_lock(%mid_cons_prod_lock, AcquireGreaterEqual, 1)
      aie.dma_bd(%mid_cons_buff_0 : memref<1024xi32>, 0, 1024) {bd_id = 0 : i32, next_bd_id = 1 : i32}
      aie.use_lock(%mid_cons_cons_lock, Release, 1)
      aie.next_bd ^bb2
    ^bb2:
      aie.use_lock(%mid_cons_prod_lock, AcquireGreaterEqual, 1)
      aie.dma_bd(%mid_cons_buff_1 : memref<1024xi32>, 0, 1024) {bd_id = 1 : i32, next_bd_id = 0 : i32}
      aie.use_lock(%mid_cons_cons_lock, Release, 1)
      aie.next_bd ^bb1
    ^bb3:
      %1 = aie.dma_start(MM2S, 0, ^bb4, ^bb6)
    ^bb4:
      aie.use_lock(%out_cons_lock, AcquireGreaterEqual, 1)
      aie.dma_bd(%out_buff_0 : memref<1024xi32>, 0, 1024) {bd_id = 2 : i32, next_bd_id = 3 : i32}
      aie.use_lock(%out_prod_lock, Release, 1)
      aie.next_bd ^bb5
    ^bb5:
      aie.use_lock(%out_cons_lock, AcquireGreaterEqual, 1)
      aie.dma_bd(%out_buff_1 : memref<1024xi32>, 0, 1024) {bd_id = 3 : i32, next_bd_id = 2 : i32}
      aie.use_lock(%out_prod_lock, Release, 1)
      aie.next_bd ^bb4
    ^bb6:
      aie.end
    }
    aie.shim_dma_allocation @in(%shim, MM2S, 0)
    aie.shim_dma_allocation @out(%shim, S2MM, 0)
  }
}
